import { types, type RowOf } from '../database/column-types.ts'
import { defineStatement } from '../database/statement.ts'
import { percentile95Of } from './process-counts.ts'
import { sampleEveryMs, samplesKeptHours, type SampledProcess } from './sampling.ts'

const { bigint, int, listOf, named, notNull, nullable, text, time, uuid } = types

/** What the installation did in ten minutes: the sums of all processes. */
export interface HistoryPoint {
  readonly start: Date
  readonly published: number
  readonly attempted: number
  /** The 95th percentile of the times from publish to first attempt, in ms. `undefined`: there was no first attempt. */
  readonly firstAttemptMs: number | undefined
  /** The longest that a due delivery was due, in ms. `undefined`: no worker was there to know. */
  readonly oldestDueMs: number | undefined
}

/** A process that ran in the last 24 hours. */
export interface ProcessState extends SampledProcess {
  readonly id: string
  /** Its first and last sample of this time. */
  readonly firstAt: Date
  readonly lastAt: Date
  readonly published: number
  readonly attempted: number
  /** The readiness checks that failed at its last sample. */
  readonly failed: readonly string[]
}

/** A time in which a process was not ready, or made no samples. */
export interface Interruption {
  readonly processId: string
  readonly start: Date
  readonly end: Date
  /** The readiness checks that failed; empty if there were no samples. */
  readonly failed: readonly string[]
}

/** A process without a sample for this long has ended or is stuck, in ms. */
export const sampleMissingMs = 2.5 * sampleEveryMs

/** The length of a point, in seconds. */
const pointSeconds = 600

/** The most processes and interruptions that are read. */
const processesMax = 200
export const interruptionsMax = 500

const kept = `at > now() - interval '${samplesKeptHours} hours'`
const startOfPoint = `date_bin('${pointSeconds} s', at, 'epoch')`

/** Returns the sums of all processes by ten minutes, oldest first. */
export const historyStatement = defineStatement({
  name: 'list-operations-history',
  takes: {},
  gives: {
    start: notNull(time, 'of a group'),
    published: notNull(int, 'sum'),
    attempted: notNull(int, 'sum'),
    oldestDueMs: nullable(bigint),
    latencies: nullable(listOf(int)),
  },
  sql: `
    WITH latency AS (
      SELECT start, array_agg(count ORDER BY step) AS latencies
      FROM (
        SELECT ${startOfPoint} AS start, step, sum(count)::int AS count
        FROM operations_samples CROSS JOIN LATERAL unnest(latencies) WITH ORDINALITY AS l (count, step)
        WHERE ${kept} GROUP BY 1, 2
      ) counted GROUP BY start
    )
    SELECT point.*, latency.latencies
    FROM (
      SELECT ${startOfPoint} AS start, sum(published)::int AS published, sum(attempted)::int AS attempted,
        max(oldest_due_ms) AS oldest_due_ms
      FROM operations_samples WHERE ${kept} GROUP BY 1
    ) point LEFT JOIN latency USING (start)
    ORDER BY start`,
})

/** Returns the processes with samples, those that have been there longest first. */
export const processesStatement = defineStatement({
  name: 'list-processes',
  takes: {},
  gives: {
    id: uuid,
    kind: named<SampledProcess['kind']>('text'),
    host: text,
    pid: int,
    firstAt: notNull(time, 'of a group'),
    lastAt: notNull(time, 'of a group'),
    published: notNull(int, 'sum'),
    attempted: notNull(int, 'sum'),
    failed: notNull(listOf(text), 'of a group'),
  },
  sql: `
    SELECT process_id AS id, kind, host, pid, min(at) AS first_at, max(at) AS last_at, sum(published)::int AS published,
      sum(attempted)::int AS attempted,
      (SELECT failed FROM operations_samples last WHERE last.at = max(s.at) AND last.process_id = s.process_id) AS failed
    FROM operations_samples s WHERE ${kept}
    GROUP BY process_id, kind, host, pid ORDER BY kind, first_at, id LIMIT ${processesMax}`,
})

/** Returns the times in which a process was not ready or made no samples, the newest first. */
export const interruptionsStatement = defineStatement({
  name: 'list-interruptions',
  takes: {},
  gives: {
    processId: notNull(uuid, 'the column is never null'),
    start: notNull(time, 'of a group or compared'),
    end: notNull(time, 'of a group or compared'),
    failed: notNull(listOf(text), 'the column is never null'),
  },
  sql: `
    WITH sample AS (
      SELECT process_id, at, failed, lag(at) OVER process AS before, lag(failed) OVER process AS failed_before
      FROM operations_samples WHERE ${kept} WINDOW process AS (PARTITION BY process_id ORDER BY at)
    ), numbered AS (
      SELECT *, count(*) FILTER (WHERE failed IS DISTINCT FROM failed_before) OVER (PARTITION BY process_id ORDER BY at) AS run
      FROM sample
    )
    (SELECT process_id, min(coalesce(before, at)) AS start, max(at) AS "end", failed FROM numbered
     WHERE cardinality(failed) > 0 GROUP BY process_id, run, failed
     UNION ALL
     SELECT process_id, before, at, '{}' FROM sample
     WHERE at - before > interval '${sampleMissingMs} ms')
    ORDER BY start DESC LIMIT ${interruptionsMax}`,
})

/** Converts the rows of {@link historyStatement}. */
export const toHistory = (rows: readonly RowOf<typeof historyStatement.gives>[]): HistoryPoint[] =>
  rows.map(({ start, published, attempted, oldestDueMs, latencies }) => ({
    start,
    published,
    attempted,
    firstAttemptMs: percentile95Of(latencies ?? []),
    oldestDueMs: oldestDueMs === null ? undefined : Number(oldestDueMs),
  }))
