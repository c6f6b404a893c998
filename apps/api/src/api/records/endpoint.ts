import { lastOverlapEnd } from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import type { ErrorClass } from '@hosting/core/webhooks'
import type {
  EndpointActivity,
  EndpointRow,
  IncidentDetails,
  IncidentRow,
} from '@hosting/postgres/webhooks'
import type { EndpointChange } from '../schemas/endpoint.ts'

/** The settings of an endpoint as columns, except its headers and accounts. Omitted members stay omitted. */
export const toEndpointSettings = ({
  headers: _headers,
  accounts: _accounts,
  rate_limit_per_second: rateLimitPerSecond,
  disable_after_failing_hours: disableAfterFailingHours,
  standard_webhooks: standardWebhooks,
  external_id: externalId,
  ...others
}: EndpointChange) => ({
  ...others,
  ...(rateLimitPerSecond !== undefined && { rateLimitPerSecond }),
  ...(disableAfterFailingHours !== undefined && { disableAfterFailingHours }),
  ...(standardWebhooks !== undefined && { standardWebhooks }),
  ...(externalId !== undefined && { externalId }),
})

/** An endpoint as the API returns it. */
export function toEndpointRecord(
  row: EndpointRow,
  activity: EndpointActivity,
  now = currentTime(),
) {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    enabled: row.enabled,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    disabled_at: row.disabledAt,
    secret_rotated_at: row.secretRotatedAt,
    previous_secret_expires_at: lastOverlapEnd(row.secrets, now),
    last_success_at: row.schedule?.lastSuccessAt ?? null,
    last_failure_at: row.schedule?.lastFailureAt ?? null,
    waiting_deliveries: activity.waiting,
    disabled_reason: row.disabledReason,
    rate_limit_per_second: row.rateLimitPerSecond,
    disable_after_failing_hours: row.disableAfterFailingHours,
    header_names: row.headers?.names ?? [],
    standard_webhooks: row.standardWebhooks,
    external_id: row.externalId,
    accounts: row.accounts.length > 0 ? row.accounts : null,
    health: toHealth(row.failures, activity),
  }
}

function toHealth(failures: EndpointRow['failures'], activity: EndpointActivity) {
  const state = failures?.state ?? 'unknown'
  return {
    state,
    failing_since: state === 'failing' ? (failures?.firstFailureAt ?? null) : null,
    consecutive_failures: failures?.consecutiveFailures ?? 0,
    last_status_code: failures?.lastStatusCode ?? null,
    last_error_class: (failures?.lastErrorClass ?? null) as ErrorClass | null,
    failure_rate: activity.failureRate,
    failure_rate_24h: activity.dailyFailureRate,
  }
}

/** An incident as the API returns it. */
export const toIncidentRecord = (row: IncidentRow) => ({
  id: row.id,
  opened_at: row.openedAt,
  closed_at: row.closedAt,
  closed_by: row.closedBy,
  failed_attempts: row.failedAttempts,
  last_status_code: row.lastStatusCode,
  last_error_class: row.lastErrorClass as ErrorClass | null,
})

/** An incident with what happened in it, as the API returns it. */
export const toIncidentDetails = (
  row: IncidentRow,
  { timeline, affected, deliveredSince, isComplete }: IncidentDetails,
) => ({
  ...toIncidentRecord(row),
  timeline: timeline.map(({ start, end, errorClass, statusCode, attempts }) => ({
    start,
    end,
    error_class: errorClass,
    status_code: statusCode,
    attempts,
  })),
  affected,
  delivered_since: deliveredSince,
  missing: affected === null || deliveredSince === null ? null : affected - deliveredSince,
  complete: isComplete,
})
