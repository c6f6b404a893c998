import { types } from '../database/column-types.ts'
import type { Client } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { float, int, listOf, notNull, nullable, uuid } = types

/** Waiting deliveries are counted up to this number, which means this number or more. */
export const waitingCountMax = 10_000

/** What an endpoint has to do, and how it did. The shares of failed attempts are null without any attempts. */
export interface EndpointActivity {
  /** The waiting deliveries, up to {@link waitingCountMax}. */
  readonly waiting: number
  /** The share of failed attempts since the last incident was closed, of at most 24 hours. */
  readonly failureRate: number | null
  /** The share of failed attempts in the last 24 hours. */
  readonly dailyFailureRate: number | null
}

/** The activity of an endpoint that has just been created. */
export const noActivity: EndpointActivity = {
  waiting: 0,
  failureRate: null,
  dailyFailureRate: null,
}

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

/** Returns the activity of each endpoint. Locks nothing. */
const activityStatement = defineStatement({
  name: 'read-endpoint-activity',
  takes: { endpointIds: listOf(uuid) },
  gives: {
    id: uuid,
    waiting: notNull(int, 'count'),
    failureRate: nullable(float),
    dailyFailureRate: nullable(float),
  },
  sql: `
    WITH unmerged AS MATERIALIZED (
      SELECT endpoint_id, date_trunc('hour', start) AS start, count(*) FILTER (WHERE NOT failed) AS succeeded,
        count(*) FILTER (WHERE failed) AS failed
      FROM (SELECT DISTINCT tenant_id FROM webhook_endpoints WHERE id = ANY (:endpointIds)) t
      CROSS JOIN LATERAL unmerged_attempts(t.tenant_id, NULL)
      WHERE start >= date_trunc('hour', now()) - interval '23 hours'
      GROUP BY 1, 2
    )
    SELECT e.id, w.waiting, a.failed_since::float8 / nullif(a.attempts_since, 0) AS failure_rate,
      a.failed::float8 / nullif(a.attempts, 0) AS daily_failure_rate
    FROM webhook_endpoints e
    LEFT JOIN webhook_endpoint_failures f
      ON f.endpoint_id = e.id AND f.rate_from >= date_trunc('hour', now()) - interval '23 hours'
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS waiting FROM (
        SELECT 1 FROM pending_deliveries p
        WHERE p.endpoint_id = e.id AND NOT (p.lease_id IS NOT NULL AND p.held_until > now())
        ORDER BY p.due_at LIMIT ${waitingCountMax}
      ) counted
    ) w CROSS JOIN LATERAL (
      SELECT sum(failed) AS failed, sum(succeeded + failed) AS attempts,
        coalesce(sum(failed) FILTER (WHERE is_since), 0) - coalesce(f.rate_failed_before, 0) AS failed_since,
        coalesce(sum(succeeded + failed) FILTER (WHERE is_since), 0) - coalesce(f.rate_attempts_before, 0)
          AS attempts_since
      FROM (
        SELECT succeeded, failed, f.rate_from IS NULL OR start >= f.rate_from AS is_since FROM (
          SELECT start, succeeded, failed FROM attempt_stats s
          WHERE s.tenant_id = e.tenant_id AND s.endpoint_id = e.id
            AND s.start >= date_trunc('hour', now()) - interval '23 hours'
          UNION ALL SELECT start, succeeded, failed FROM unmerged WHERE endpoint_id = e.id
        ) counted
      ) day
    ) a
    WHERE e.id = ANY (:endpointIds)`,
})
