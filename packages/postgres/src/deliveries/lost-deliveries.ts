import { timeOfUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'

const { int, listOf, notNull, nullable, text, time, uuid } = types

/** The dead deliveries of an endpoint whose event was not redelivered to it since. */
export interface LostDeliveries {
  readonly endpointId: string
  /** Of the last attempt of the newest delivery; null if none was made. */
  readonly statusCode: number | null
  readonly errorClass: string | null
  /** When the oldest of them was created. */
  readonly since: Date
  /** At most {@link lostCountMax}. */
  readonly count: number
}

/** The count for an endpoint stops here, so that its cost is limited. */
export const lostCountMax = 1_000

/** Returns the dead deliveries since a time that were not redelivered, for each endpoint that has any. */
export async function listLostDeliveries(
  { pool }: Database,
  endpointIds: readonly string[],
  since: Date,
): Promise<LostDeliveries[]> {
  if (endpointIds.length === 0) return []
  const rows = await run(pool, lostStatement, { endpointIds, since, countMax: lostCountMax })
  return rows.map(({ oldest, ...row }) => ({ ...row, since: new Date(timeOfUuidv7(oldest)) }))
}

/** Gives the endpoints with deliveries that died and were not sent again, counted up to a limit. It locks nothing. */
const lostStatement = defineStatement({
  name: 'list-lost-deliveries',
  takes: { endpointIds: listOf(uuid), since: time, countMax: int },
  gives: {
    endpointId: notNull(uuid, 'given'),
    statusCode: nullable(int),
    errorClass: nullable(text),
    count: notNull(int, 'count'),
    oldest: notNull(text, 'of at least one'),
  },
  sql: `
        SELECT e.id AS endpoint_id, last.status_code, last.error_class, dead.count, dead.oldest
     FROM unnest(:endpointIds) AS e (id)
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS count, max(id::text)::uuid AS newest,
         min(id::text) AS oldest
       FROM (
         SELECT d.id FROM deliveries d
         WHERE d.endpoint_id = e.id AND d.dead AND d.id >= uuid_v7_floor(:since)
           AND NOT EXISTS (SELECT FROM deliveries r WHERE r.event_ref = d.event_ref
             AND r.endpoint_id = d.endpoint_id AND r.id > d.id)
         ORDER BY d.id DESC LIMIT :countMax
       ) found
     ) dead
     LEFT JOIN LATERAL (
       SELECT status_code, error_class FROM delivery_attempts a
       WHERE a.delivery_id = dead.newest AND a.id >= uuid_v7_floor(:since) ORDER BY a.id DESC LIMIT 1
     ) last ON true
     WHERE dead.count > 0`,
})
