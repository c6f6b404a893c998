import type { ItemOf } from '@hosting/sdk'
import { optional, toLines, truncated, type Columns } from '../terminal/table.ts'
import { formatTime } from '../terminal/text.ts'

type Webhook = ItemOf<'/webhooks'>

/** The API counts no further: this number means as many or more. */
const waitingCountMax = 10_000

const waitingCount = ({ waiting_deliveries: count }: Pick<Webhook, 'waiting_deliveries'>) =>
  count >= waitingCountMax ? '10,000+' : count

const statusLabel = ({ enabled }: Pick<Webhook, 'enabled'>) => (enabled ? 'Enabled' : 'Disabled')

export const webhookColumns: Columns<Webhook> = {
  id: ({ id }) => id,
  url: truncated(({ url }) => url),
  status: statusLabel,
  events: truncated(({ events }) => events.join(',')),
  waiting: optional(waitingCount),
  'last success': optional(({ last_success_at }) => formatTime(last_success_at)),
  'last failure': optional(({ last_failure_at }) => formatTime(last_failure_at)),
}

/** A webhook as lines. */
export const webhookLines = (webhook: Webhook): string[] =>
  toLines({
    webhook: webhook.id,
    url: webhook.url,
    description: webhook.description,
    status: statusLabel(webhook),
    events: webhook.events,
    'custom headers': webhook.header_names,
    'standard webhooks': webhook.standard_webhooks ? 'Yes' : 'No',
    'waiting deliveries': waitingCount(webhook),
    'last success': formatTime(webhook.last_success_at),
    'last failure': formatTime(webhook.last_failure_at),
    created: formatTime(webhook.created_at),
    disabled: formatTime(webhook.disabled_at),
    'secret rotated': formatTime(webhook.secret_rotated_at),
    'overlap period until': formatTime(webhook.previous_secret_expires_at),
  })
