import type { ItemOf } from '@hosting/sdk'
import { toLines, type Columns } from '../output/table.ts'
import { showTime } from '../output/times.ts'

type Webhook = ItemOf<'/webhooks'>

/** The service counts to this number: it means as many or more. */
const waitingCountMax = 10_000

const showWaiting = ({ waiting_deliveries: count }: Pick<Webhook, 'waiting_deliveries'>) =>
  count >= waitingCountMax ? '10,000+' : count

export const webhookColumns: Columns<Webhook> = {
  id: ({ id }) => id,
  url: ({ url }) => url,
  events: ({ events }) => events.join(','),
  enabled: ({ enabled }) => enabled,
  waiting: showWaiting,
  'last success': ({ last_success_at }) => showTime(last_success_at),
  'last failure': ({ last_failure_at }) => showTime(last_failure_at),
}

/** An endpoint as lines. */
export const showWebhook = (webhook: Webhook): string[] =>
  toLines({
    webhook: webhook.id,
    url: webhook.url,
    events: webhook.events,
    description: webhook.description,
    enabled: webhook.enabled,
    waiting: showWaiting(webhook),
    created: showTime(webhook.created_at),
    'secret rotated': showTime(webhook.secret_rotated_at),
    'old secret until': showTime(webhook.previous_secret_expires_at),
  })
