import type { ClientBase } from 'pg'
import type { Database } from '../database/database.ts'

/** The attempts in a span of time. Durations are null if no attempt was made. */
export interface StatsBucket {
  readonly start: Date
  readonly succeeded: number
  readonly failed: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

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
  const { rows } = await pool.query<StatsBucket>(
    `WITH part AS (
       SELECT date_bin($3 * interval '1 ms', start, $2::timestamptz) AS start, succeeded, failed, durations, counts
       FROM attempt_stats
       WHERE tenant_id = $1 ${endpointId === undefined ? '' : 'AND endpoint_id = $5'} AND start >= $2
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
     )
     SELECT b.start, coalesce(t.succeeded, 0) AS succeeded, coalesce(t.failed, 0) AS failed, p.p50_ms, p.p95_ms
     FROM (SELECT $2::timestamptz + n * $3 * interval '1 ms' AS start
       FROM generate_series(0, $4::int - 1) AS n) b
     LEFT JOIN total t USING (start)
     LEFT JOIN percentiles p USING (start)
     ORDER BY b.start`,
    [tenantId, new Date(startMs), bucketMs, buckets, ...(endpointId ? [endpointId] : [])],
  )
  return rows
}

/** Limits of one call of {@link mergeAttemptStats}. */
export interface MergeLimits {
  /** The most rows that one statement examines. */
  readonly rowsMax: number
}

/**
 * Keeps the table of attempt counts small. Merges the rows of an endpoint into one row per five minutes,
 * and after two hours into one row per hour. Deletes rows older than 8 days. The sums stay the same at
 * every moment. Any number of processes may call it: one of them works, and the others return
 * immediately.
 *
 * @returns the number of rows merged into others.
 */
export async function mergeAttemptStats(
  { pool }: Pick<Database, 'pool'>,
  { rowsMax }: MergeLimits = { rowsMax: 5_000 },
): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtext('merge_attempt_stats')) AS taken`,
    )
    const merged = rows[0]!.taken ? await mergeAndDrop(client, rowsMax) : 0
    await client.query('COMMIT')
    return merged
  } finally {
    // If a transaction is still open, the pool closes the connection.
    client.release()
  }
}

async function mergeAndDrop(client: ClientBase, rowsMax: number): Promise<number> {
  const recent = await client.query<{ rows: number }>(mergeRecent, [rowsMax])
  const hours = await client.query<{ rows: number }>(mergeHours, [rowsMax])
  await client.query(dropOld, [rowsMax])
  return recent.rows[0]!.rows + hours.rows[0]!.rows
}

/** Replaces all rows of each span by one row. */
const mergeStatement = (spans: string, minutes: number): string => `
  WITH span AS MATERIALIZED (
    ${spans}
  ), taken AS (
    DELETE FROM attempt_stats s USING span
    WHERE s.tenant_id = span.tenant_id AND s.endpoint_id = span.endpoint_id
      AND s.start >= span.start AND s.start < span.start + interval '${minutes} minutes'
    RETURNING s.tenant_id, s.endpoint_id, span.start, s.succeeded, s.failed, s.durations, s.counts
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
  ), merged AS (
    INSERT INTO attempt_stats (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, counts)
    SELECT tenant_id, endpoint_id, start, ${minutes}, succeeded, failed, durations, counts
    FROM total JOIN histogram USING (tenant_id, endpoint_id, start)
  )
  SELECT count(*)::int AS rows FROM taken`

const mergeRecent = mergeStatement(
  `SELECT DISTINCT tenant_id, endpoint_id, start FROM (
     SELECT tenant_id, endpoint_id, start FROM attempt_stats
     WHERE counts IS NULL ORDER BY start LIMIT $1::int
   ) unmerged`,
  5,
)

/** The one-hour view needs rows of five minutes. Two hours leave time for late attempts. */
const mergeHours = mergeStatement(
  `SELECT DISTINCT tenant_id, endpoint_id, date_bin('1 hour', start, 'epoch') AS start FROM (
     SELECT tenant_id, endpoint_id, start FROM attempt_stats
     WHERE counts IS NOT NULL AND minutes = 5 AND start < date_bin('1 hour', now() - interval '2 hours', 'epoch')
     ORDER BY start LIMIT $1::int
   ) old`,
  60,
)

const dropOld = `
  DELETE FROM attempt_stats WHERE (tenant_id, endpoint_id, start, id) IN (
    SELECT tenant_id, endpoint_id, start, id FROM attempt_stats
    WHERE counts IS NOT NULL AND minutes = 60 AND start < now() - interval '8 days'
    ORDER BY start LIMIT $1::int)`
