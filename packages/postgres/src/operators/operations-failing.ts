import { endpointName } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import { defineStatement } from '../database/statement.ts'

const { int, notNull, nullable, text, time, uuid } = types

/** An endpoint with an open incident. */
export interface FailingEndpoint {
  readonly endpointId: string
  readonly endpointName: string
  readonly tenantName: string
  readonly openedAt: Date
  readonly failedAttempts: number
  readonly lastStatusCode: number | null
  readonly lastErrorClass: string | null
  /** When the endpoint will be disabled, unless it succeeds. `null`: never. */
  readonly disabledAt: Date | null
}

/** The endpoints with open incidents. */
export interface FailingEndpoints {
  /** The first fifty, those that have been failing longest first. */
  readonly endpoints: readonly FailingEndpoint[]
  readonly count: number
  /** Whether there are more than were counted. */
  readonly isMore: boolean
}

/** The most open incidents that are counted. */
const countedMax = 10_000
const shownMax = 50

/** Returns the endpoints with the oldest open incidents, and the number of open incidents. Reads their partial index. */
export const failingStatement = defineStatement({
  name: 'list-failing-endpoints',
  takes: {},
  gives: {
    id: uuid,
    url: text,
    description: nullable(text),
    tenantName: text,
    openedAt: time,
    failedAttempts: int,
    lastStatusCode: nullable(int),
    lastErrorClass: nullable(text),
    disabledAt: nullable(time),
    count: notNull(int, 'count'),
  },
  sql: `
    WITH open AS (
      SELECT * FROM webhook_incidents WHERE closed_at IS NULL ORDER BY opened_at LIMIT ${countedMax + 1}
    )
    SELECT e.id, e.url, e.description, t.name AS tenant_name, open.opened_at, open.failed_attempts, open.last_status_code,
      open.last_error_class, open.opened_at + e.disable_after_failing_hours * interval '1 hour' AS disabled_at,
      (SELECT count(*)::int FROM open) AS count
    FROM open
    JOIN webhook_endpoints e ON e.id = open.endpoint_id
    JOIN tenants t ON t.id = e.tenant_id
    ORDER BY open.opened_at, e.id LIMIT ${shownMax}`,
})

/** Converts the rows of {@link failingStatement}. */
export const toFailing = (
  rows: readonly RowOf<typeof failingStatement.gives>[],
): FailingEndpoints => ({
  endpoints: rows.map((row) => ({
    endpointId: row.id,
    endpointName: endpointName(row),
    tenantName: row.tenantName,
    openedAt: row.openedAt,
    failedAttempts: row.failedAttempts,
    lastStatusCode: row.lastStatusCode,
    lastErrorClass: row.lastErrorClass,
    disabledAt: row.disabledAt,
  })),
  count: Math.min(rows[0]?.count ?? 0, countedMax),
  isMore: (rows[0]?.count ?? 0) > countedMax,
})
