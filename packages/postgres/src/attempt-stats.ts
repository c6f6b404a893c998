import { lowestUuidv7 } from '@hosting/core'
import type { Database } from './database.ts'

/** The attempts of a span of time. Durations are null where no attempt was made. */
export interface StatsBucket {
  readonly start: Date
  readonly succeeded: number
  readonly failed: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

/** An attempt's id is minted when it ends, at most so long after it started; in ms. */
const attemptMsMax = 120_000

/**
 * The attempts of some endpoints together by bucket, oldest first, empty ones too.
 *
 * @param span - `startMs`: the start of the first bucket, Unix time; `bucketMs` and `buckets`: their length and number.
 */
export async function readAttemptStats(
  { pool }: Database,
  endpointIds: readonly string[],
  { startMs, bucketMs, buckets }: { startMs: number; bucketMs: number; buckets: number },
): Promise<StatsBucket[]> {
  const { rows } = await pool.query<StatsBucket>(
    `SELECT b.start, s.succeeded, s.failed, s.p50_ms, s.p95_ms
     FROM (SELECT $3::timestamptz + n * $4 * interval '1 ms' AS start
       FROM generate_series(0, $5::int - 1) AS n) b
     LEFT JOIN (
       SELECT date_bin($4 * interval '1 ms', started_at, $3::timestamptz) AS start,
         count(*) FILTER (WHERE error_class IS NULL)::int AS succeeded,
         count(*) FILTER (WHERE error_class IS NOT NULL)::int AS failed,
         round(percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms))::int AS p50_ms,
         round(percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_ms))::int AS p95_ms
       FROM delivery_attempts
       WHERE endpoint_id = ANY ($1) AND id >= $2 AND started_at >= $3
       GROUP BY 1
     ) s USING (start)
     ORDER BY b.start`,
    [endpointIds, lowestUuidv7(startMs - attemptMsMax), new Date(startMs), bucketMs, buckets],
  )
  return rows.map((row) => ({ ...row, succeeded: row.succeeded ?? 0, failed: row.failed ?? 0 }))
}
