import { beforeAll, expect, test } from '@jest/globals'
import {
  directoryLists,
  toListValues,
  type DirectoryQuery,
} from '../../src/directory/directory-records.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const users = 60_000
const tenantId = '00000000-0000-4000-8000-000000000001'
/** Between the first and the last change. */
const middle = new Date('2026-01-15T00:00:00Z')

beforeAll(async () => {
  const client = await database.pool.connect()
  await client.query('BEGIN')
  // No triggers: the rows have times of their own.
  await client.query('SET LOCAL session_replication_role = replica')
  await client.query(
    `INSERT INTO tenants (id, slug, name, updated_at)
     SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n, 'Acme',
       '2026-01-01'::timestamptz + n * interval '1 minute'
     FROM generate_series(0, $1::int / 10) n`,
    [users],
  )
  await client.query(
    `INSERT INTO accounts (id, tenant_id, name, updated_at)
     SELECT gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad(to_hex(n % 100), 12, '0'))::uuid, n,
       '2026-01-01'::timestamptz + n * interval '1 minute'
     FROM generate_series(1, $1::int) n`,
    [users],
  )
  await client.query(
    `INSERT INTO users (id, tenant_id, email, name, updated_at)
     SELECT gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad(to_hex(n % 100), 12, '0'))::uuid, n, n,
       '2026-01-01'::timestamptz + n * interval '1 minute'
     FROM generate_series(1, $1::int) n`,
    [users],
  )
  await client.query('COMMIT')
  client.release()
  await database.pool.query('ANALYZE tenants, accounts, users')
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Parent Relationship'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

async function explain(kind: 'tenants' | 'accounts' | 'users', query: DirectoryQuery) {
  const { text, parameters } = directoryLists[kind]
  const values: Readonly<Record<string, unknown>> = toListValues(query)
  const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    parameters.map((parameter) => values[parameter]),
  )
  const plan = rows[0]!['QUERY PLAN'][0].Plan
  const nodes: Plan[] = [plan]
  for (const node of nodes) {
    // The accounts of a user are a subplan, which sorts them.
    const inner = (node.Plans ?? []).filter((part) => part['Parent Relationship'] !== 'SubPlan')
    nodes.push(...inner)
  }
  return {
    pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    indexes: nodes.map((node) => node['Index Name']),
    types: nodes.map((node) => node['Node Type']),
  }
}

/** Per record: a page of the table and two of the index of its accounts; and a few for the way down. */
const pagesMax = (records: number): number => 3 * records + 20

const after = `${middle.getTime() * 1_000}-00000000-0000-4000-8000-000000000000`

test.each([
  ['tenants', 'tenants_changes_idx', {}],
  ['tenants', 'tenants_changes_idx', { since: middle }],
  ['accounts', 'accounts_updated_at_id_idx', { after }],
  ['accounts', 'accounts_tenant_id_updated_at_id_idx', { tenantId }],
  ['users', 'users_changes_idx', {}],
  ['users', 'users_changes_idx', { since: middle, after }],
  ['users', 'users_tenant_changes_idx', { tenantId }],
  ['users', 'users_tenant_changes_idx', { tenantId, since: middle, after }],
] as const)('a page of %s reads only part of %s (%j)', async (kind, index, query) => {
  const { pages, indexes, types } = await explain(kind, { ...query, take: 50 })
  expect(indexes).toContain(index)
  expect(types).not.toContain('Sort')
  expect(pages).toBeLessThan(pagesMax(50))
})
