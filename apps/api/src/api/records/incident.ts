import type { ErrorClass } from '@hosting/core/webhooks'
import type { IncidentDetails, IncidentRow } from '@hosting/postgres/webhooks'

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
