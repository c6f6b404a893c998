import { makePartitions } from '@hosting/postgres/database'
import { beforeAll, expect, test } from '@jest/globals'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { statements, type HotStatement } from '../../src/database/statement.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

/**
 * Tables whose rows come and go. PostgreSQL often plans for an empty one, and a long transaction keeps the index entries
 * of its removed rows.
 */
const queues = new Set(['pending_deliveries', 'endpoint_wakeups'])

beforeAll(async () => {
  const source = join(import.meta.dirname, '../../src')
  for (const { name } of readdirSync(source, { withFileTypes: true })) {
    if (name !== 'generated') await import(`../../src/${name}/index.ts`)
  }
  await makePartitions(database)
  // PostgreSQL now knows that every table is empty.
  await database.pool.query('VACUUM')
})

/** The queues that a plan reads without looking rows up in an index. */
const findWholeReads = (node: PlanNode): string[] => [
  ...(node['Node Type'].endsWith('Scan') &&
  queues.has(node['Relation Name'] ?? '') &&
  !node['Index Cond']
    ? [node['Relation Name']!]
    : []),
  ...(node.Plans ?? []).flatMap(findWholeReads),
]

const hotStatements = (): HotStatement[] =>
  [...statements.values()].filter((statement): statement is HotStatement => 'isHot' in statement)

test('no hot statement reads a whole queue, even if it is planned while the queue is empty', async () => {
  const found: string[] = []
  for (const { name, text } of hotStatements()) {
    const { rows } = await database.hotPool!.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
    )
    const reads = findWholeReads(rows[0]!['QUERY PLAN'][0].Plan)
    found.push(...reads.map((queue) => `${name} reads ${queue}`))
  }
  expect(hotStatements().length).toBeGreaterThan(15)
  expect(found).toEqual([])
})
