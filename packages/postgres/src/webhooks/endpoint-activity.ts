import { types } from '../database/column-types.ts'
import type { Client } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { float, int, listOf, notNull, nullable, uuid } = types

/** Waiting deliveries are counted up to this number, which means this number or more. */
export const waitingCountMax = 10_000

/** What an endpoint has to do, and how it did in the last 24 hours. */
export interface EndpointActivity {
  /** The waiting deliveries, up to {@link waitingCountMax}. */
  readonly waiting: number
  /** Failed attempts divided by all of the last 24 hours; null without any. */
  readonly failureRate: number | null
}

/** The activity of an endpoint that has just been created. */
export const noActivity: EndpointActivity = { waiting: 0, failureRate: null }

/**
 * Reads the activity of endpoints, by endpoint id. The ORDER BY makes the planner use the endpoint index instead of
 * scanning the whole queue for an endpoint with few waiting deliveries. The 24 hours begin with a full hour, like the
 * rows of `attempt_stats` that have been merged.
 */
export async function readEndpointActivity(
  client: Client,
  endpointIds: readonly string[],
): Promise<Map<string, EndpointActivity>> {
  const rows = await runIn(client, activityStatement, { endpointIds })
  return new Map(rows.map(({ id, ...activity }) => [id, activity]))
}

/** Gives the activity of each endpoint. It locks nothing. */
const activityStatement = defineStatement({
  name: 'read-endpoint-activity',
  takes: { endpointIds: listOf(uuid) },
  gives: { id: uuid, waiting: notNull(int, 'count'), failureRate: nullable(float) },
  sql: `
    SELECT e.id, w.waiting, s.failed::float8 / nullif(s.attempts, 0) AS failure_rate
    FROM webhook_endpoints e CROSS JOIN LATERAL (
      SELECT count(*)::int AS waiting FROM (
        SELECT 1 FROM pending_deliveries p
        WHERE p.endpoint_id = e.id AND NOT (p.lease_id IS NOT NULL AND p.held_until > now())
        ORDER BY p.due_at LIMIT ${waitingCountMax}
      ) counted
    ) w CROSS JOIN LATERAL (
      SELECT sum(failed) AS failed, sum(succeeded + failed) AS attempts FROM attempt_stats a
      WHERE a.tenant_id = e.tenant_id AND a.endpoint_id = e.id
        AND a.start >= date_trunc('hour', now()) - interval '23 hours'
    ) s
    WHERE e.id = ANY (:endpointIds)`,
})
