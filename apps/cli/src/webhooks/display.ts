import { endpointName, healthLabelOf } from '@hosting/core/webhooks'
import type { ItemOf } from '@hosting/sdk'
import { resultLabel } from '../deliveries/outcomes.ts'
import {
  ids,
  leftOut,
  optional,
  state,
  time,
  toLines,
  truncated,
  type Columns,
} from '../terminal/table.ts'
import { formatTime } from '../terminal/text.ts'
import { settingLines } from './settings.ts'

type Webhook = ItemOf<'/webhooks'>
type Incident = ItemOf<'/webhooks/{id}/incidents'>

/** The API counts no further: this number means as many or more. */
const waitingCountMax = 10_000

const waitingCount = ({ waiting_deliveries: count }: Pick<Webhook, 'waiting_deliveries'>) =>
  count >= waitingCountMax ? '10,000+' : count

const statusLabel = ({ enabled, disabled_reason: reason }: Webhook) =>
  enabled ? 'Enabled' : reason === 'failing' ? 'Disabled (kept failing)' : 'Disabled'

type Failure = Pick<Incident, 'last_status_code' | 'last_error_class'>

const failureText = ({ last_status_code: status_code, last_error_class: error_class }: Failure) =>
  resultLabel({ status_code, error_class })

function healthText(webhook: Webhook): string {
  const { failing_since: since, consecutive_failures: failures } = webhook.health
  const label = healthLabelOf(webhook)
  if (failures === 0) return label
  const last = `failures in a row: ${failures}, last: ${failureText(webhook.health)}`
  return since === null ? `${label}; ${last}` : `${label} since ${formatTime(since)}; ${last}`
}

/** A share from 0 to 1; a service before version 1.1 does not say it. */
const percentage = (share: number | null | undefined): string | null =>
  typeof share === 'number' ? `${Math.round(share * 100)}%` : null

/** The words of the panel. */
const incidentStates = { success: 'Recovered', disabled: 'Disabled', deleted: 'Deleted' } as const

export const webhookColumns: Columns<Webhook> = {
  id: ids(({ id }) => id),
  endpoint: truncated(endpointName, 24),
  status: { ...state(statusLabel), widthMin: 10 },
  health: state(healthLabelOf),
  url: optional(({ url }) => url, 24),
  events: optional(({ events }) => events.join(','), 16),
  waiting: optional(waitingCount),
  'last success': leftOut(time(({ last_success_at }) => last_success_at)),
  'last failure': leftOut(time(({ last_failure_at }) => last_failure_at)),
}

/** A webhook as lines. */
export const webhookLines = (webhook: Webhook): string[] =>
  toLines({
    webhook: webhook.id,
    url: webhook.url,
    ...settingLines(webhook),
    status: statusLabel(webhook),
    health: healthText(webhook),
    'failed in 24 hours': percentage(webhook.health.failure_rate_24h),
    events: webhook.events,
    'custom headers': webhook.header_names,
    'waiting deliveries': waitingCount(webhook),
    'last success': formatTime(webhook.last_success_at),
    'last failure': formatTime(webhook.last_failure_at),
    created: formatTime(webhook.created_at),
    disabled: formatTime(webhook.disabled_at),
    'secret rotated': formatTime(webhook.secret_rotated_at),
    'overlap period until': formatTime(webhook.previous_secret_expires_at),
  })

export const incidentColumns: Columns<Incident> = {
  opened: time(({ opened_at }) => opened_at),
  closed: leftOut(time(({ closed_at }) => closed_at)),
  state: state(({ closed_by }) =>
    closed_by === null
      ? 'Open'
      : (incidentStates[closed_by as keyof typeof incidentStates] ?? closed_by),
  ),
  'failed attempts': optional(({ failed_attempts }) => failed_attempts),
  'last failure': truncated(failureText),
}
