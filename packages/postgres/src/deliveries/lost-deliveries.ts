import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'

const { int, listOf, notNull, nullable, text, time, uuid } = types

/** The dead deliveries of an endpoint whose event was not redelivered to it since. */
export interface LostDeliveries {
  readonly endpointId: string
  /** Of the last attempt of the delivery that died last; null if none was made. */
  readonly statusCode: number | null
  readonly errorClass: string | null
  /** When the first of them died. */
  readonly since: Date
  /** At most {@link lostCountMax}. */
  readonly count: number
}

/** The count for an endpoint stops here. */
export const lostCountMax = 1_000

/**
 * So many of the newest dead deliveries of an endpoint are examined. They are found by their creation: an index of the
 * time of death would make every completion of a delivery an update of all indexes.
 */
const examinedMax = 10_000

/** Returns the deliveries that died since a time and were not redelivered, for each endpoint that has any. */
export async function listLostDeliveries(
  { pool }: Database,
  endpointIds: readonly string[],
  since: Date,
): Promise<LostDeliveries[]> {
  if (endpointIds.length === 0) return []
  const limits = { examinedMax, countMax: lostCountMax }
  return await run(pool, lostStatement, { endpointIds, diedFrom: since, ...limits })
}

/** Returns the endpoints with deliveries that died and were not sent again, counted up to a limit. Locks nothing. */
const lostStatement = defineStatement({
  name: 'list-lost-deliveries',
  takes: { endpointIds: listOf(uuid), diedFrom: time, examinedMax: int, countMax: int },
  gives: {
    endpointId: notNull(uuid, 'given'),
    statusCode: nullable(int),
    errorClass: nullable(text),
    count: notNull(int, 'count'),
    since: notNull(time, 'of at least one'),
  },
  sql: `
    SELECT e.id AS endpoint_id, dead.status_code, dead.error_class, dead.count, dead.since
    FROM unnest(:endpointIds) AS e (id)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count, min(completed_at) AS since,
        (array_agg(last_status_code ORDER BY completed_at DESC))[1] AS status_code,
        (array_agg(last_error_class ORDER BY completed_at DESC))[1] AS error_class
      FROM (
        SELECT d.completed_at, d.last_status_code, d.last_error_class FROM (
          SELECT * FROM deliveries WHERE endpoint_id = e.id AND dead ORDER BY id DESC LIMIT :examinedMax
        ) d
        WHERE d.completed_at >= :diedFrom
          AND (SELECT true FROM delivery_states r WHERE r.event_ref = d.event_ref
            AND r.endpoint_id = d.endpoint_id AND r.id > d.id LIMIT 1) IS NULL
        ORDER BY d.completed_at DESC LIMIT :countMax
      ) found
    ) dead
    WHERE dead.count > 0`,
})
