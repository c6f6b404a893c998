import { openDatabase, type Database } from '@hosting/postgres/database'
import { until } from '../../../../test/support/until.ts'
import type { TestDatabase } from './database.ts'

/** What was written to a table and its partitions. */
export interface TableWrites {
  inserts: number
  updates: number
  /** Updates that changed no index. */
  hotUpdates: number
  /** Partial indexes count if the table has a row that belongs into them. */
  indexInsertions: number
}

/**
 * What work writes to each table.
 *
 * @param database - has one connection, and nothing else uses its database.
 */
export async function readWrites(
  database: TestDatabase,
  work: (measured: Database) => Promise<unknown>,
): Promise<Record<string, TableWrites>> {
  await database.pool.query('SELECT pg_stat_reset()')
  await runCounted(database, work)
  const { rows } = await database.pool.query<TableRow>(writtenTables)
  const writes: Record<string, TableWrites> = {}
  for (const row of rows) {
    const sums = (writes[row.table] ??= {
      inserts: 0,
      updates: 0,
      hotUpdates: 0,
      indexInsertions: 0,
    })
    sums.inserts += row.inserted
    sums.updates += row.updates
    sums.hotUpdates += row.hotUpdates
    const rowsInserted = row.inserted + row.updates - row.hotUpdates
    sums.indexInsertions += rowsInserted * (await countIndexes(database, row))
  }
  return writes
}

/** Runs work with connections of its own, and returns when PostgreSQL has ended them: then it has counted their writes. */
export async function runCounted<T>(
  { pool, url }: TestDatabase,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const result = await runIn(openDatabase(url, { onError: () => undefined }), work)
  const countOthers = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    return rows[0]!.count
  }
  await until(countOthers, (count) => count === 0)
  return result
}

async function runIn<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

interface TableRow {
  readonly part: string
  readonly table: string
  readonly inserted: number
  readonly updates: number
  readonly hotUpdates: number
  /** Of the partial indexes. */
  readonly conditions: readonly string[]
  readonly wholeIndexes: number
}

const writtenTables = `
  SELECT s.relname::text AS part, coalesce(parent.relname, s.relname)::text AS table,
    n_tup_ins::int AS inserted, n_tup_upd::int AS updates, n_tup_hot_upd::int AS "hotUpdates",
    ARRAY(SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indrelid = s.relid AND indpred IS NOT NULL) AS conditions,
    (SELECT count(*)::int FROM pg_index WHERE indrelid = s.relid AND indpred IS NULL) AS "wholeIndexes"
  FROM pg_stat_user_tables s
  LEFT JOIN pg_inherits ON inhrelid = s.relid
  LEFT JOIN pg_class parent ON parent.oid = inhparent
  WHERE n_tup_ins + n_tup_upd > 0`

/** The indexes that rows of a table belong into. */
async function countIndexes(
  { pool }: Database,
  { part, conditions, wholeIndexes }: TableRow,
): Promise<number> {
  const used = conditions.map((condition) => `EXISTS (SELECT FROM ${part} WHERE ${condition})::int`)
  const { rows } = await pool.query<{ count: number }>(
    `SELECT ${[wholeIndexes, ...used].join(' + ')} AS count`,
  )
  return rows[0]!.count
}
