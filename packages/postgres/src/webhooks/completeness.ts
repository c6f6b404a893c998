import { lowestUuidv7 } from '@hosting/core/ids'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { runWithin } from '../database/limited-read.ts'
import { defineStatement } from '../database/statement.ts'
import { stateTables, statusOf } from '../deliveries/delivery-select.ts'
import { isSubscribed } from './event-log-statements.ts'
import { logSlackMs } from './event-log.ts'

const { int, notNull, time, uuid } = types

const countTypes = {
  events: notNull(int, 'count'),
  delivered: notNull(int, 'count'),
  waiting: notNull(int, 'count'),
  dead: notNull(int, 'count'),
  neverSent: notNull(int, 'count'),
}

/**
 * How many events of the log an endpoint subscribes to, and what became of them at this endpoint. Each event is in one of
 * the other counts: it has arrived by any of its deliveries; or one is unfinished; or all are dead; or it has none.
 */
export type EndpointCompleteness = RowOf<typeof countTypes>

/**
 * Counts the events that were created since a time and that the endpoint subscribes to now, exactly and in one snapshot.
 *
 * @param sinceMs - Unix time in ms, inclusive, compared with `created_at` like `since` of the event log.
 * @param msMax - the most ms that it may take.
 * @returns `too_long` if there are too many events for this time.
 */
export async function countCompleteness(
  database: Pick<Database, 'pool'>,
  { tenantId, endpointId }: { tenantId: string; endpointId: string },
  { sinceMs, msMax }: { sinceMs: number; msMax: number },
): Promise<EndpointCompleteness | 'too_long'> {
  const acceptedMs = Math.max(sinceMs - logSlackMs, 0)
  const rows = await runWithin(database, msMax, completenessStatement, {
    tenantId,
    endpointId,
    acceptedSince: new Date(acceptedMs),
    lowestId: lowestUuidv7(Math.max(acceptedMs - logSlackMs, 0)),
    since: new Date(sinceMs),
  })
  return rows === 'too_long' ? rows : rows[0]!
}

/**
 * Returns the counts of an endpoint's events. Events and deliveries are grouped and not joined, so the cost grows only
 * with their number, even if the planner misjudges it. Locks nothing.
 */
const completenessStatement = defineStatement({
  name: 'count-completeness',
  takes: { tenantId: uuid, endpointId: uuid, acceptedSince: time, lowestId: uuid, since: time },
  gives: countTypes,
  sql: `
    SELECT count(*)::int AS events,
      count(*) FILTER (WHERE is_delivered)::int AS delivered,
      count(*) FILTER (WHERE NOT is_delivered AND is_waiting)::int AS waiting,
      count(*) FILTER (WHERE NOT is_delivered AND NOT is_waiting AND is_sent)::int AS dead,
      count(*) FILTER (WHERE NOT is_sent)::int AS never_sent
    FROM (
      SELECT bool_or(status IS NULL) AS is_logged, bool_or(status IS NOT NULL) AS is_sent,
        coalesce(bool_or(status = 'succeeded'), false) AS is_delivered,
        coalesce(bool_or(status NOT IN ('succeeded', 'dead')), false) AS is_waiting
      FROM (
        SELECT ev.id AS event_ref, NULL AS status FROM events ev JOIN webhook_endpoints w ON w.id = :endpointId
        WHERE ev.tenant_id = :tenantId AND ev.id >= :lowestId AND ev.created_at >= :since
          AND ev.position >= (SELECT event_position_from(:tenantId, :acceptedSince))
          AND ${isSubscribed('ev', 'type')}
        UNION ALL
        SELECT d.event_ref, ${statusOf} FROM ${stateTables}
        WHERE d.endpoint_id = :endpointId AND d.id >= :lowestId
      ) known GROUP BY event_ref
    ) event
    WHERE is_logged`,
})
