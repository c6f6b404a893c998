import { usageKeptDays, type DayRange } from '@hosting/core/directory'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { runTransaction } from '../database/transaction.ts'
import { defineStatement, execute, run } from '../database/statement.ts'

const { bool, int, named, notNull, text, uuid } = types
const day = named('date')
const sum = notNull(named('numeric'), 'coalesce')

/** What an organization used on a day. */
export interface DailyTenantUsage {
  /** UTC, `YYYY-MM-DD`. */
  readonly date: string
  /** The requests of its keys. */
  readonly requests: number
  /** The events that were accepted, test events included. */
  readonly events: number
  /** The attempts that were started. */
  readonly attempts: number
}

/** Returns what an organization used on each day of a range, oldest first, including days without usage. */
export async function readTenantUsage(
  { pool }: Database,
  tenantId: string,
  { since, until }: DayRange,
): Promise<DailyTenantUsage[]> {
  const rows = await run(pool, usageStatement, { tenantId, since, until })
  return rows.map(({ date, requests, events, attempts }) => ({
    date,
    requests: Number(requests),
    events: Number(events),
    attempts: Number(attempts),
  }))
}

/** One statement, so that counts that are moved meanwhile are read once. */
const usageStatement = defineStatement({
  name: 'read-tenant-usage',
  takes: { tenantId: uuid, since: day, until: day },
  gives: { date: notNull(text, 'of a series'), requests: sum, events: sum, attempts: sum },
  sql: `
  WITH part AS (
    SELECT u.date, u.requests, 0 AS events, 0 AS attempts
    FROM api_keys k JOIN api_key_usage u ON u.key_id = k.id AND u.date BETWEEN :since AND :until
    WHERE k.tenant_id = :tenantId
    UNION ALL
    SELECT date, 0, events, attempts FROM usage_counts
    WHERE tenant_id = :tenantId AND date BETWEEN :since AND :until
    UNION ALL
    SELECT (start AT TIME ZONE 'UTC')::date, 0, 0, succeeded + failed FROM attempt_stats
    WHERE tenant_id = :tenantId AND start >= :since::timestamp AT TIME ZONE 'UTC'
      AND start < (:until + 1)::timestamp AT TIME ZONE 'UTC'
  )
  SELECT to_char(day, 'YYYY-MM-DD') AS date, coalesce(sum(requests), 0) AS requests,
    coalesce(sum(events), 0) AS events, coalesce(sum(attempts), 0) AS attempts
  FROM generate_series(:since::timestamp, :until::timestamp, interval '1 day') AS day
  LEFT JOIN part ON part.date = day::date
  GROUP BY day ORDER BY day`,
})

/** Limits of one call of {@link mergeUsageCounts}. */
export interface UsageMergeLimits {
  /** The most rows that one statement examines. */
  readonly rowsMax: number
}

/**
 * Merges the counts of an organization's day into one row, and deletes days that are no longer kept. The sums stay the
 * same at every moment. Any number of processes may call it: one of them works, and the others return immediately.
 *
 * @returns the number of rows merged into others.
 */
export const mergeUsageCounts = (
  database: Pick<Database, 'pool'>,
  { rowsMax }: UsageMergeLimits = { rowsMax: 5_000 },
): Promise<number> =>
  runTransaction(database, async (client) => {
    const [lock] = await run(client, lockStatement, {})
    if (!lock!.taken) return 0
    const [merged] = await run(client, mergeStatement, { rowsMax })
    await execute(client, dropStatement, { rowsMax })
    return merged!.rows
  })

/** Tries to become the only process that merges, and gives whether it did. */
const lockStatement = defineStatement({
  name: 'lock-usage-counts',
  takes: {},
  gives: { taken: notNull(bool, 'the result of the function') },
  sql: `SELECT pg_try_advisory_xact_lock(hashtext('merge_usage_counts')) AS taken`,
})

/** Replaces counts by their sums by organization and day, and gives the number of rows replaced. */
const mergeStatement = defineStatement({
  name: 'merge-usage-counts',
  takes: { rowsMax: int },
  gives: { rows: notNull(int, 'count') },
  sql: `
  WITH span AS MATERIALIZED (
    SELECT DISTINCT tenant_id, date FROM (
      SELECT tenant_id, date FROM usage_counts WHERE NOT merged ORDER BY id LIMIT :rowsMax
    ) unmerged
  ), taken AS (
    DELETE FROM usage_counts c USING span WHERE c.tenant_id = span.tenant_id AND c.date = span.date
    RETURNING c.tenant_id, c.date, c.events, c.attempts
  ), total AS (
    INSERT INTO usage_counts (tenant_id, date, merged, events, attempts)
    SELECT tenant_id, date, true, sum(events), sum(attempts) FROM taken GROUP BY 1, 2
  )
  SELECT count(*)::int AS rows FROM taken`,
})

/** Deletes counts that are no longer kept. */
const dropStatement = defineStatement({
  name: 'drop-usage-counts',
  takes: { rowsMax: int },
  gives: {},
  sql: `
  DELETE FROM usage_counts WHERE (tenant_id, date, id) IN (
    SELECT tenant_id, date, id FROM usage_counts
    WHERE merged AND date < (now() AT TIME ZONE 'UTC')::date - ${usageKeptDays} ORDER BY date LIMIT :rowsMax)`,
})
