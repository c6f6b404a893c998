import { makePartitions } from '@hosting/postgres/database'
import { beforeAll, expect, test } from '@jest/globals'
import type { DayStatement } from '../../src/database/day-statements.ts'
import { statements, type HotStatement } from '../../src/database/statement.ts'
import { useDatabase } from '../support/database.ts'
import { loadStatements } from '../support/describe-statement.ts'

const database = useDatabase()

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

/**
 * Tables whose rows come and go. PostgreSQL often plans for an empty one, and a long transaction keeps the index entries
 * of its removed rows.
 */
const queues = new Set(['pending_deliveries', 'endpoint_wakeups'])

/** The first column of each index of the queues. */
const firstColumns = new Map<string, string>()

beforeAll(async () => {
  await loadStatements()
  await makePartitions(database)
  const { rows } = await database.pool.query<{ name: string; column: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid, 1, true) AS column FROM pg_index
     WHERE indrelid = ANY ($1::regclass[])`,
    [[...queues]],
  )
  for (const { name, column } of rows) firstColumns.set(name, column)
  // PostgreSQL now knows that every table is empty.
  await database.pool.query('VACUUM')
})

/** The indexes and tables of which a plan may read more than the rows that it looks for. */
const findWideReads = (node: PlanNode): string[] => [
  ...(isWide(node) ? [node['Index Name'] ?? node['Relation Name']!] : []),
  ...(node.Plans ?? []).flatMap(findWideReads),
]

/** A condition on a later column of an index does not limit what is read of it. */
function isWide(node: PlanNode): boolean {
  if (!node['Node Type'].endsWith('Scan') || !queues.has(node['Relation Name'] ?? '')) return false
  const column = firstColumns.get(node['Index Name'] ?? '')
  return column === undefined || !new RegExp(`\\b${column}\\b`).test(node['Index Cond'] ?? '')
}

const isOfDay = (statement: HotStatement): statement is DayStatement => 'on' in statement

async function listWideReads(): Promise<string[]> {
  const hot = [...statements.values()].filter((each): each is HotStatement => 'isHot' in each)
  expect(hot.length).toBeGreaterThan(15)
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const found: string[] = []
  for (const { name, text } of hot.map((each) => (isOfDay(each) ? each.on(day) : each))) {
    const { rows } = await database.hotPool!.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
    )
    const reads = findWideReads(rows[0]!['QUERY PLAN'][0].Plan)
    found.push(...reads.map((read) => `${name} reads ${read}`))
  }
  return found
}

test('no hot statement reads a whole queue if it is planned while the queue is empty', async () => {
  expect(await listWideReads()).toEqual([])
})

test('no hot statement reads a whole queue if it is planned while many removed rows are still stored', async () => {
  await database.pool.query(
    `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
     SELECT gen_random_uuid(), $1, $1, $1, now(), 'epoch' FROM generate_series(1, 100000)`,
    [lowestId],
  )
  await database.pool.query(
    `INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at) SELECT $1, $1, now() FROM generate_series(1, 100000)`,
    [lowestId],
  )
  await database.pool.query('DELETE FROM pending_deliveries; DELETE FROM endpoint_wakeups')
  expect(await listWideReads()).toEqual([])
})

const lowestId = '00000000-0000-0000-0000-000000000000'
