import type { Database } from '@hosting/postgres/database'

/** What statements read. */
export interface StatementCost {
  /** Blocks of 8 KiB, from the cache or the disk. */
  readonly blocks: number
  /** Rows that scans visited, also those that a filter removed. */
  readonly rows: number
}

/** A database that also explains each statement, and the cost so far. */
interface Explained {
  readonly database: Database
  readonly cost: () => StatementCost
}

interface Plan {
  readonly Plans?: readonly Plan[]
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}

/**
 * Runs every statement again with EXPLAIN (ANALYZE, BUFFERS), so often, and counts the run that read the least. Changes of
 * any schema on the server may make a session read the whole catalog again, within a function also while it runs.
 */
export function explainStatements(database: Database, times = 3): Explained {
  const cost = { blocks: 0, rows: 0 }
  const explainOnce = async (text: string, values: readonly unknown[]): Promise<StatementCost> => {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      [...values],
    )
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
    const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    return { blocks, rows: visitedRows(plan) }
  }
  const explain = async (text: string, values: readonly unknown[]): Promise<void> => {
    const costs: StatementCost[] = []
    while (costs.length < times) costs.push(await explainOnce(text, values))
    cost.blocks += Math.min(...costs.map(({ blocks }) => blocks))
    cost.rows += Math.min(...costs.map(({ rows }) => rows))
  }
  const query = async (
    given: string | { text: string; values?: unknown[] },
    values?: unknown[],
  ) => {
    const text = typeof given === 'string' ? given : given.text
    await explain(text, (typeof given === 'string' ? values : given.values) ?? [])
    return database.pool.query(given as string, values)
  }
  const prisma = {
    async $queryRawUnsafe(text: string, ...values: unknown[]) {
      await explain(text, values)
      return database.prisma.$queryRawUnsafe(text, ...values)
    },
  }
  return { database: { ...database, pool: { query }, prisma } as never, cost: () => cost }
}

function visitedRows(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, each) => sum + visitedRows(each), 0)
  if (plan['Relation Name'] === undefined) return below
  const removed =
    (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return below + Math.round((plan['Actual Rows'] + removed) * plan['Actual Loops'])
}
