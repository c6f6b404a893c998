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
    SELECT date, 0, cardinality(array_positions(tenant_ids, :tenantId)), 0 FROM usage_batches
    WHERE :tenantId = ANY (tenant_ids)
    UNION ALL
    SELECT (start AT TIME ZONE 'UTC')::date, 0, 0, succeeded + failed FROM attempt_stats
    WHERE tenant_id = :tenantId AND start >= :since::timestamp AT TIME ZONE 'UTC'
      AND start < (:until + 1)::timestamp AT TIME ZONE 'UTC'
    UNION ALL
    SELECT (start AT TIME ZONE 'UTC')::date, 0, 0, count(*) FROM unmerged_attempts(:tenantId, NULL) GROUP BY 1
  )
  SELECT to_char(day, 'YYYY-MM-DD') AS date, coalesce(sum(requests), 0) AS requests,
    coalesce(sum(events), 0) AS events, coalesce(sum(attempts), 0) AS attempts
  FROM generate_series(:since::timestamp, :until::timestamp, interval '1 day') AS day
  LEFT JOIN part ON part.date = day::date
  GROUP BY day ORDER BY day`,
})

/** Limits of one call of {@link mergeUsageCounts}. */
export interface UsageMergeLimits {
  /** The most publishes that one statement merges, and the most rows that it deletes. */
  readonly rowsMax: number
}

/**
 * Adds what was published to the counts of the days, and deletes days that are no longer kept. The sums stay the same at
 * every moment. Any number of processes may call it: one of them works, and the others return immediately.
 *
 * @returns the number of publishes that were added.
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

/** Adds publishes to the counts of the days, and gives their number. */
const mergeStatement = defineStatement({
  name: 'merge-usage-counts',
  takes: { rowsMax: int },
  gives: { rows: notNull(int, 'count') },
  sql: `
  WITH taken AS (
    DELETE FROM usage_batches WHERE ctid = ANY (ARRAY(SELECT ctid FROM usage_batches LIMIT :rowsMax))
    RETURNING date, tenant_ids
  ), total AS (
    INSERT INTO usage_counts (tenant_id, date, events)
    SELECT tenant_id, date, count(*) FROM taken CROSS JOIN unnest(tenant_ids) AS tenant_id GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (tenant_id, date) DO UPDATE SET events = usage_counts.events + excluded.events
  )
  SELECT count(*)::int AS rows FROM taken`,
})

/** Deletes counts that are no longer kept. */
const dropStatement = defineStatement({
  name: 'drop-usage-counts',
  takes: { rowsMax: int },
  gives: {},
  sql: `
  DELETE FROM usage_counts WHERE (tenant_id, date) IN (
    SELECT tenant_id, date FROM usage_counts
    WHERE date < (now() AT TIME ZONE 'UTC')::date - ${usageKeptDays} ORDER BY date LIMIT :rowsMax)`,
})
