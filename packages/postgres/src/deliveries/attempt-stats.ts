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
 * buckets. It reads counts that a trigger maintains, so its cost depends on the span and not on the
 * number of attempts. Durations of 128 ms and more are rounded by up to 0.8%.
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

/** Gives a row for each span, and locks nothing. */
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
    ), total AS (
      SELECT start, sum(succeeded)::int AS succeeded, sum(failed)::int AS failed FROM part GROUP BY 1
    ), bin AS (
      SELECT start, round_duration(u.duration) AS duration, sum(coalesce(u.count, 1)) AS count
      FROM part CROSS JOIN unnest(durations, counts) AS u (duration, count) GROUP BY 1, 2
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
        SELECT start, u.code, sum(coalesce(u.count, 1)) AS count
        FROM part CROSS JOIN unnest(codes, code_counts) AS u (code, count) GROUP BY 1, 2
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
  /** The most rows that one statement examines. */
  readonly rowsMax: number
}

/**
 * Keeps the table of attempt counts small. Merges the rows of an endpoint into one row per minute,
 * and after two hours into one row per hour. Deletes rows older than 8 days. The sums stay the same at
 * every moment. Any number of processes may call it: one of them works, and the others return
 * immediately.
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

/** Replaces all rows of each span by one row. */
const defineMerge = (name: string, minutes: number, spans: string) =>
  defineStatement({
    name,
    takes: { rowsMax: int },
    gives: { rows: notNull(int, 'count') },
    sql: `
  WITH span AS MATERIALIZED (
    ${spans}
  ), taken AS (
    DELETE FROM attempt_stats s USING span
    WHERE s.tenant_id = span.tenant_id AND s.endpoint_id = span.endpoint_id
      AND s.start >= span.start AND s.start < span.start + interval '${minutes} minutes'
    RETURNING s.tenant_id, s.endpoint_id, span.start, s.succeeded, s.failed, s.durations, s.counts,
      s.codes, s.code_counts
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
  SELECT count(*)::int AS rows FROM taken`,
  })

const mergeRecent = defineMerge(
  'merge-recent-stats',
  attemptStatsMinutes,
  `SELECT DISTINCT tenant_id, endpoint_id, start FROM (
     SELECT tenant_id, endpoint_id, start FROM attempt_stats
     WHERE counts IS NULL ORDER BY start LIMIT :rowsMax
   ) unmerged`,
)

/**
 * The one-hour view needs rows of a minute. Two hours leave time for late attempts. The release before made rows of five
 * minutes.
 */
const mergeHours = defineMerge(
  'merge-hourly-stats',
  60,
  `SELECT DISTINCT tenant_id, endpoint_id, date_bin('1 hour', start, 'epoch') AS start FROM (
     SELECT tenant_id, endpoint_id, start FROM attempt_stats
     WHERE counts IS NOT NULL AND minutes IN (${attemptStatsMinutes}, 5)
       AND start < date_bin('1 hour', now() - interval '2 hours', 'epoch')
     ORDER BY start LIMIT :rowsMax
   ) old`,
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
      WHERE counts IS NOT NULL AND minutes = 60 AND start < now() - interval '8 days'
      ORDER BY start LIMIT :rowsMax)
    RETURNING tenant_id, start, succeeded + failed AS attempts
  )
  INSERT INTO usage_counts (tenant_id, date, attempts)
  SELECT tenant_id, (start AT TIME ZONE 'UTC')::date, sum(attempts) FROM dropped GROUP BY 1, 2`,
})
