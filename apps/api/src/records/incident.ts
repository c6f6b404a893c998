import type { ErrorClass } from '@hosting/core/webhooks'
import type { IncidentRow } from '@hosting/postgres/webhooks'

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

/** An incident as the API returns it. */
export type IncidentRecord = ReturnType<typeof toIncidentRecord>
