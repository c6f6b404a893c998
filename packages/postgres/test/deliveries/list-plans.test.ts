import { createUuidv7 } from '@hosting/core/ids'
import { makePartitions } from '@hosting/postgres/database'
import '@hosting/postgres/deliveries'
import { expect, test } from '@jest/globals'
import type { DeliveryFilter } from '../../src/deliveries/delivery-filter.ts'
import { toValues } from '../../src/deliveries/delivery-filter.ts'
import { statements } from '../../src/database/statement.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const id = createUuidv7()

/** PostgreSQL's plan for the values of a filter. Its tables are empty, so it must not prefer to scan them. */
async function explain(
  name: string,
  filter: Partial<DeliveryFilter>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { text, parameters } = statements.get(name)!
  const page = { beforeId: undefined, take: 26 }
  const values: Readonly<Record<string, unknown>> = {
    ...toValues({ tenantId: id, ...filter }, page),
    ...more,
  }
  await makePartitions(database)
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (COSTS OFF) ${text}`,
      parameters.map((parameter) => values[parameter]),
    )
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

test.each([
  ['its organization', {}, 'tenant_id = '],
  ['an endpoint', { endpointId: id }, 'endpoint_id = '],
  ['an event type', { eventType: 'site.created' }, 'AND (event_type = '],
  ['an object', { objectId: 'site_1' }, 'AND ((lower(object_id))::text = '],
  ['an account', { accountId: 'acc_1' }, 'AND (account_id = '],
])('a list of %s reads an index in its order', async (_, filter, condition) => {
  for (const [name, more] of [
    ['list-deliveries', {}],
    [`list-newest-deliveries-by-${Object.keys(filter)[0] ?? 'tenant'}`, { examined: 5_000 }],
  ] as const) {
    const plan = await explain(name, filter, more)
    expect(plan).toMatch(/Index Scan using deliveries_/)
    expect(plan).toContain(condition)
    expect(plan).not.toMatch(/Seq Scan on deliveries|Sort/)
    expect(plan).not.toContain('IS NULL OR')
  }
})

test('a list of a span leaves out the partitions of other days', async () => {
  const sinceMs = Date.now()
  const all = await explain('list-deliveries', {})
  const recent = await explain('list-deliveries', { sinceMs })
  const count = (plan: string) => plan.match(/Scan using deliveries_/g)!.length
  expect(count(recent)).toBeLessThan(count(all))
})

test('a search reads an index for each of its values, and nothing for those that it has not', async () => {
  const values = { lowestId: null, highestId: null, searched: 'site', searchedType: null }
  const plan = await explain(
    'search-deliveries',
    {},
    { ...values, objectIds: ['site_1', 'site_2'] },
  )
  expect(plan.match(/One-Time Filter: false/g)).toHaveLength(4)
  expect(plan).toContain('AND ((lower(object_id))::text = object.id)')
  expect(plan).toContain('AND ((lower(event_name))::text = ')
})

test.each(['queued', 'waiting_retry', 'waiting_endpoint', 'dead'])(
  'a list of deliveries with status %s reads the queue by the endpoint and the id',
  async (status) => {
    const plan = await explain(`list-queue-${status}`, { sinceMs: 0 })
    expect(plan).toMatch(
      /pending_deliveries_list_idx.*\n.*endpoint_id = e\.id.*LEAST\(attempts_made, 1\).*uuid_send\(delivery_id\) >= /,
    )
  },
)
