import { attemptStatsMinutes } from '@hosting/core/webhooks'
import type { ClientBase } from 'pg'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { runTransaction } from '../database/transaction.ts'
import { defineStatement, execute, run } from '../database/statement.ts'

const { bool, float, int, notNull, nullable, time, uuid } = types

const bucketTypes = {
  start: notNull(time, 'of a series'),
  succeeded: notNull(int, 'coalesce'),
  failed: notNull(int, 'coalesce'),
  p50Ms: nullable(int),
  p95Ms: nullable(int),
  codes: types.json<Readonly<Record<string, number>>>(),
}

/**
 * The attempts in a span of time. Durations are null if no attempt was made. `codes` has the numbers of attempts by response
 * code, 0 without a response.
 */
export type StatsBucket = RowOf<typeof bucketTypes>

/**
 * The attempts that are counted: those of an endpoint, or of an organization with its deleted endpoints.
 */
export interface StatsOwner {
  readonly tenantId: string
  readonly endpointId?: string
}

/**
 * Returns the attempts of an endpoint or an organization in buckets, oldest first, including empty
 * buckets. It reads merged counts, and the attempts since the last merge. Durations of 128 ms and more are rounded by up to
 * 0.8%.
 *
 * @param span - `startMs`: the start of the first bucket as a Unix time in ms; `bucketMs` and `buckets`:
 * length and number of the buckets.
 */
export async function readAttemptStats(
  { pool }: Database,
  { tenantId, endpointId }: StatsOwner,
  { startMs, bucketMs, buckets }: { startMs: number; bucketMs: number; buckets: number },
): Promise<StatsBucket[]> {
  return await run(pool, bucketsStatement, {
    tenantId,
    endpointId: endpointId ?? null,
    from: new Date(startMs),
    bucketMs,
    buckets,
  })
}

/** Returns a row for each span, and locks nothing. */
const bucketsStatement = defineStatement({
  name: 'read-attempt-stats',
  takes: { tenantId: uuid, endpointId: nullable(uuid), from: time, bucketMs: float, buckets: int },
  gives: bucketTypes,
  sql: `
    WITH part AS (
      SELECT date_bin(:bucketMs * interval '1 ms', start, :from) AS start, succeeded, failed, durations, counts,
        codes, code_counts
      FROM attempt_stats
      WHERE tenant_id = :tenantId AND (:endpointId IS NULL OR endpoint_id = :endpointId) AND start >= :from
    ), unmerged AS MATERIALIZED (
      SELECT date_bin(:bucketMs * interval '1 ms', start, :from) AS start, failed, round_duration(duration_ms) AS duration,
        status_code AS code, count(*)
      FROM unmerged_attempts(:tenantId, :endpointId)
      WHERE start >= :from
      GROUP BY 1, 2, 3, 4
    ), total AS (
      SELECT start, sum(succeeded)::int AS succeeded, sum(failed)::int AS failed FROM (
        SELECT start, succeeded, failed FROM part
        UNION ALL SELECT start, CASE WHEN failed THEN 0 ELSE count END, CASE WHEN failed THEN count ELSE 0 END FROM unmerged
      ) counted GROUP BY 1
    ), bin AS (
      SELECT start, duration, sum(count) AS count FROM (
        SELECT start, round_duration(u.duration) AS duration, u.count
        FROM part CROSS JOIN unnest(durations, counts) AS u (duration, count)
        UNION ALL SELECT start, duration, count FROM unmerged
      ) counted GROUP BY 1, 2
    ), ranked AS (
      SELECT start, duration, sum(count) OVER (PARTITION BY start ORDER BY duration) AS through,
        sum(count) OVER (PARTITION BY start) AS count
      FROM bin
    ), percentiles AS (
      SELECT start, min(duration) FILTER (WHERE through >= 0.5 * count) AS p50_ms,
        min(duration) FILTER (WHERE through >= 0.95 * count) AS p95_ms
      FROM ranked GROUP BY 1
    ), coded AS (
      SELECT start, json_object_agg(code, count) AS codes FROM (
        SELECT start, code, sum(count) AS count FROM (
          SELECT start, u.code, u.count FROM part CROSS JOIN unnest(codes, code_counts) AS u (code, count)
          UNION ALL SELECT start, code, count FROM unmerged
        ) counted GROUP BY 1, 2
      ) code GROUP BY 1
    )
    SELECT b.start, coalesce(t.succeeded, 0) AS succeeded, coalesce(t.failed, 0) AS failed, p.p50_ms, p.p95_ms,
      coalesce(c.codes, '{}'::json) AS codes
    FROM (SELECT :from + n * :bucketMs * interval '1 ms' AS start FROM generate_series(0, :buckets - 1) AS n) b
    LEFT JOIN total t USING (start)
    LEFT JOIN percentiles p USING (start)
    LEFT JOIN coded c USING (start)
    ORDER BY b.start`,
})

/** Limits of one call of {@link mergeAttemptStats}. */
export interface MergeLimits {
  /** The most rows that one statement examines, each of a statement that recorded attempts, or of an endpoint. */
  readonly rowsMax: number
}

/**
 * Counts what was recorded: one row per endpoint and minute, and after two hours one row per hour. Deletes rows older than
 * 8 days. The sums stay the same at every moment. Any number of processes may call it: one of them works, and the others
 * return immediately.
 *
 * @returns the number of rows merged into others.
 */
export const mergeAttemptStats = (
  database: Pick<Database, 'pool'>,
  { rowsMax }: MergeLimits = { rowsMax: 5_000 },
): Promise<number> =>
  runTransaction(database, async (client) => {
    const [lock] = await run(client, lockStatement, {})
    return lock!.taken ? await mergeAndDrop(client, rowsMax) : 0
  })

/** Tries to become the only process that merges, and gives whether it did. */
const lockStatement = defineStatement({
  name: 'lock-attempt-stats',
  takes: {},
  gives: { taken: notNull(bool, 'the result of the function') },
  sql: `SELECT pg_try_advisory_xact_lock(hashtext('merge_attempt_stats')) AS taken`,
})

async function mergeAndDrop(client: ClientBase, rowsMax: number): Promise<number> {
  const [recent] = await run(client, mergeRecent, { rowsMax })
  const [hours] = await run(client, mergeHours, { rowsMax })
  await execute(client, dropOld, { rowsMax })
  return recent!.rows + hours!.rows
}

/**
 * Replaces all rows of each span by one row.
 *
 * @param parts - `span`, and `made` with what is added to the rows. A count of null means that each value occurred once.
 */
const defineMerge = (name: string, minutes: number, parts: string) =>
  defineStatement({
    name,
    takes: { rowsMax: int },
    gives: { rows: notNull(int, 'count') },
    sql: `
  WITH ${parts}, earlier AS (
    DELETE FROM attempt_stats s USING span
    WHERE s.tenant_id = span.tenant_id AND s.endpoint_id = span.endpoint_id
      AND s.start >= span.start AND s.start < span.start + interval '${minutes} minutes'
    RETURNING s.tenant_id, s.endpoint_id, span.start, s.succeeded, s.failed, s.durations, s.counts,
      s.codes, s.code_counts
  ), taken AS (
    SELECT * FROM earlier UNION ALL SELECT * FROM made
  ), total AS (
    SELECT tenant_id, endpoint_id, start, sum(succeeded) AS succeeded, sum(failed) AS failed
    FROM taken GROUP BY 1, 2, 3
  ), bin AS (
    SELECT tenant_id, endpoint_id, start, round_duration(u.duration) AS duration,
      sum(coalesce(u.count, 1)) AS count
    FROM taken CROSS JOIN unnest(durations, counts) AS u (duration, count) GROUP BY 1, 2, 3, 4
  ), histogram AS (
    SELECT tenant_id, endpoint_id, start, array_agg(duration ORDER BY duration) AS durations,
      array_agg(count ORDER BY duration) AS counts
    FROM bin GROUP BY 1, 2, 3
  ), code AS (
    SELECT tenant_id, endpoint_id, start, u.code, sum(coalesce(u.count, 1)) AS count
    FROM taken CROSS JOIN unnest(codes, code_counts) AS u (code, count) GROUP BY 1, 2, 3, 4
  ), coded AS (
    SELECT tenant_id, endpoint_id, start, array_agg(code ORDER BY code) AS codes,
      array_agg(count ORDER BY code) AS code_counts
    FROM code GROUP BY 1, 2, 3
  ), merged AS (
    INSERT INTO attempt_stats
      (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, counts, codes, code_counts)
    SELECT tenant_id, endpoint_id, start, ${minutes}, succeeded, failed, durations, counts, codes, code_counts
    FROM total JOIN histogram USING (tenant_id, endpoint_id, start)
    LEFT JOIN coded USING (tenant_id, endpoint_id, start)
  )
  SELECT count(*)::int AS rows FROM merging`,
  })

const mergeRecent = defineMerge(
  'merge-recent-stats',
  attemptStatsMinutes,
  `merging AS (
    DELETE FROM attempt_batches WHERE ctid = ANY (ARRAY(SELECT ctid FROM attempt_batches LIMIT :rowsMax))
    RETURNING tenant_ids, endpoint_ids, started_at, durations_ms, status_codes, error_classes
  ), made AS MATERIALIZED (
    SELECT tenant_id, endpoint_id, date_bin(interval '${attemptStatsMinutes} minutes', start_time, 'epoch') AS start,
      count(*) FILTER (WHERE error_class IS NULL) AS succeeded, count(*) FILTER (WHERE error_class IS NOT NULL) AS failed,
      array_agg(duration_ms) AS durations, NULL::int[] AS counts,
      array_agg(coalesce(status_code, 0)) AS codes, NULL::int[] AS code_counts
    FROM merging b
    CROSS JOIN LATERAL unnest(b.tenant_ids, b.endpoint_ids, b.started_at, b.durations_ms, b.status_codes, b.error_classes)
      AS a (tenant_id, endpoint_id, start_time, duration_ms, status_code, error_class)
    GROUP BY 1, 2, 3
  ), span AS MATERIALIZED (
    SELECT tenant_id, endpoint_id, start FROM made
  )`,
)

/**
 * The one-hour view needs rows of a minute. Two hours leave time for late attempts. The release before made rows of five
 * minutes.
 */
const mergeHours = defineMerge(
  'merge-hourly-stats',
  60,
  `merging AS MATERIALIZED (
    SELECT tenant_id, endpoint_id, start FROM attempt_stats
    WHERE minutes IN (${attemptStatsMinutes}, 5) AND start < date_bin('1 hour', now() - interval '2 hours', 'epoch')
    ORDER BY start LIMIT :rowsMax
  ), span AS MATERIALIZED (
    SELECT DISTINCT tenant_id, endpoint_id, date_bin('1 hour', start, 'epoch') AS start FROM merging
  ), made AS (
    SELECT tenant_id, endpoint_id, start, succeeded, failed, durations, counts, codes, code_counts
    FROM attempt_stats WHERE false
  )`,
)

/** The usage of the organization keeps the number of attempts. */
const dropOld = defineStatement({
  name: 'drop-old-stats',
  takes: { rowsMax: int },
  gives: {},
  sql: `
  WITH dropped AS (
    DELETE FROM attempt_stats WHERE (tenant_id, endpoint_id, start, id) IN (
      SELECT tenant_id, endpoint_id, start, id FROM attempt_stats
      WHERE minutes = 60 AND start < now() - interval '8 days'
      ORDER BY start LIMIT :rowsMax)
    RETURNING tenant_id, start, succeeded + failed AS attempts
  )
  INSERT INTO usage_counts (tenant_id, date, attempts)
  SELECT tenant_id, (start AT TIME ZONE 'UTC')::date, sum(attempts) FROM dropped GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (tenant_id, date) DO UPDATE SET attempts = usage_counts.attempts + excluded.attempts`,
})
