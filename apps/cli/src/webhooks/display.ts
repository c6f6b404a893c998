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

type Endpoint = ItemOf<'/webhooks'>
type Incident = ItemOf<'/webhooks/{id}/incidents'>

/** The API counts no further: this number means as many or more. */
const waitingCountMax = 10_000

const waitingCount = ({ waiting_deliveries: count }: Pick<Endpoint, 'waiting_deliveries'>) =>
  count >= waitingCountMax ? '10,000+' : count

const statusLabel = ({ enabled, disabled_reason: reason }: Endpoint) =>
  enabled ? 'Enabled' : reason === 'failing' ? 'Disabled (kept failing)' : 'Disabled'

type Failure = Pick<Incident, 'last_status_code' | 'last_error_class'>

const failureText = ({ last_status_code: status_code, last_error_class: error_class }: Failure) =>
  resultLabel({ status_code, error_class })

function healthText(endpoint: Endpoint): string {
  const { failing_since: since, consecutive_failures: failures } = endpoint.health
  const label = healthLabelOf(endpoint)
  if (failures === 0) return label
  const last = `failures in a row: ${failures}, last: ${failureText(endpoint.health)}`
  return since === null ? `${label}; ${last}` : `${label} since ${formatTime(since)}; ${last}`
}

/** A share from 0 to 1; a service before version 1.1 does not say it. */
const percentage = (share: number | null | undefined): string | null =>
  typeof share === 'number' ? `${Math.round(share * 100)}%` : null

/** The words of the panel. */
const incidentStates = { success: 'Recovered', disabled: 'Disabled', deleted: 'Deleted' } as const

export const endpointColumns: Columns<Endpoint> = {
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
export const endpointLines = (endpoint: Endpoint): string[] =>
  toLines({
    webhook: endpoint.id,
    url: endpoint.url,
    ...settingLines(endpoint),
    status: statusLabel(endpoint),
    health: healthText(endpoint),
    'failed in 24 hours': percentage(endpoint.health.failure_rate_24h),
    events: endpoint.events,
    'custom headers': endpoint.header_names,
    'waiting deliveries': waitingCount(endpoint),
    'last success': formatTime(endpoint.last_success_at),
    'last failure': formatTime(endpoint.last_failure_at),
    created: formatTime(endpoint.created_at),
    disabled: formatTime(endpoint.disabled_at),
    'secret rotated': formatTime(endpoint.secret_rotated_at),
    'overlap period until': formatTime(endpoint.previous_secret_expires_at),
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
