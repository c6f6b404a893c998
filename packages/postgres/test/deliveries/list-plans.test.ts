import { createUuidv7, lowestUuidv7 } from '@hosting/core/ids'
import { makePartitions } from '@hosting/postgres/database'
import { beforeAll, expect, test } from '@jest/globals'
import type { DeliveryFilter } from '../../src/deliveries/delivery-filter.ts'
import { toValues } from '../../src/deliveries/delivery-filter.ts'
import { statements } from '../../src/database/statement.ts'
import { rollingBack, useDatabase } from '../support/database.ts'

const database = useDatabase()
const id = createUuidv7()

beforeAll(async () => {
  await import('@hosting/postgres/deliveries')
  await import('@hosting/postgres/webhooks')
})

/** PostgreSQL's plan for the values of a filter. Its tables are empty, so it must not prefer to scan them. */
async function explain(
  name: string,
  filter: Partial<DeliveryFilter>,
  more: Readonly<Record<string, unknown>> = {},
  randomPageCost = 4,
): Promise<string> {
  const { text, parameters } = statements.get(name)!
  const page = { beforeId: undefined, take: 26 }
  const values: Readonly<Record<string, unknown>> = {
    ...toValues({ tenantId: id, ...filter }, page),
    ...more,
  }
  await makePartitions(database)
  return await rollingBack(database, async (client) => {
    await client.query('SET LOCAL enable_seqscan = off')
    await client.query(`SET LOCAL random_page_cost = ${randomPageCost}`)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (COSTS OFF) ${text}`,
      parameters.map((parameter) => values[parameter]),
    )
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}

const newest = 'list-newest-deliveries'

test.each([
  ['its organization', {}, newest, 'tenant_id = '],
  ['an endpoint', { endpointId: id }, newest, 'endpoint_id = '],
  [
    'an event type',
    { eventType: 'site.created' },
    'list-filtered-deliveries-by-eventType',
    '(hashtextextended(event_type, ',
  ],
  [
    'an object',
    { objectId: 'site_1' },
    'list-filtered-deliveries-by-objectId',
    'AND ((lower((object_id)::text))::text = ',
  ],
  [
    'an account',
    { accountId: 'acc_1' },
    'list-filtered-deliveries-by-accountId',
    '(hashtextextended(account_id, ',
  ],
])(
  'a list of %s reads the index of finished deliveries in its order',
  async (_, filter, name, condition) => {
    const plan = await explain(name, filter, { examined: 5_000 })
    expect(plan).toMatch(/Index Scan using deliveries_/)
    expect(plan).toContain(condition)
    expect(plan).not.toMatch(/Seq Scan on deliveries|IS NULL OR/)
    // Only the union with the queue, which is at most a page of each, is sorted.
    expect(plan.match(/-> {2}Sort/g) ?? []).toHaveLength(name === newest ? 1 : 0)
  },
)

test.each([false, true])(
  'a recovery, of any status: %s, finds the deliveries of each event without a bitmap for each partition, even if it seems cheaper',
  async (anyStatus) => {
    const values = {
      fromId: lowestUuidv7(0),
      beforeId: id,
      examinedMax: 10_000,
      anyStatus,
      eventTypes: null,
    }
    const plan = await explain(
      'list-recoverable-deliveries',
      { endpointId: id },
      { ...values, afterId: null },
      100,
    )
    expect(plan).toMatch(/Index Scan using deliveries_\d+_event_ref_idx/)
    expect(plan).not.toContain('Bitmap')
  },
)

test('a list with a time range skips the partitions of other days', async () => {
  const sinceMs = Date.now()
  const all = await explain(newest, {})
  const recent = await explain(newest, { sinceMs })
  const count = (plan: string) => plan.match(/Scan using deliveries_/g)!.length
  expect(count(recent)).toBeLessThan(count(all))
})

test('a search reads an index for each of its values, and nothing for absent values', async () => {
  const plan = await explain(
    'search-deliveries',
    {},
    { searched: 'site', searchedType: null, objectIds: ['site_1', 'site_2'] },
  )
  expect(plan.match(/One-Time Filter: false/g)).toHaveLength(1)
  expect(plan).toContain('AND ((lower((object_id)::text))::text = object.id)')
  expect(plan).toContain('(hashtextextended((lower((event_name)::text))::text, ')
})

test('a search for an id reads an index of the queue for each kind of id', async () => {
  const plan = await explain('search-deliveries-by-id', {}, { lowestId: id, highestId: id })
  expect(plan).toContain('using pending_deliveries_pkey on')
  expect(plan.match(/ pending_deliveries_event_ref_idx/g)).toHaveLength(2)
  expect(plan).not.toMatch(/Seq Scan on (deliveries|pending_deliveries)/)
})

const position = { afterPosition: '1', untilPosition: '2', lowestId: id, examined: 10_000 }

test.each([
  ['position', {}, /tenant_id = .* AND \("?position"? > /],
  ['object', { objectId: 'site_1' }, /Index Cond: \(\(hashtextextended\(object_id, /],
  ['account', { accountId: 'acc_1' }, /Index Cond: \(\(hashtextextended\(account_id, /],
])('the event log reads the index of the %s in its order', async (_, filter, condition) => {
  const given = { types: null, createdSince: null, sinceUntil: null, take: 26, ...position }
  const plan = await explain('read-event-log', filter, { ...given, lowestId: lowestUuidv7(0) })
  expect(plan).toMatch(/Index Scan using events_/)
  expect(plan).toMatch(condition)
  expect(plan).not.toMatch(/-> {2}Sort|IS NULL OR/)
})

test.each([
  [false, 'endpoint_id_id_idx1'],
  [true, 'endpoint_id_id_idx'],
])('a recovery with any status %s reads an index of the endpoint', async (anyStatus, index) => {
  const span = { fromId: lowestUuidv7(0), beforeId: id, afterId: null, examinedMax: 1_000 }
  const plan = await explain(
    'list-recoverable-deliveries',
    { endpointId: id },
    {
      ...span,
      anyStatus,
      eventTypes: null,
    },
  )
  expect(plan).toMatch(new RegExp(`using deliveries_\\d+_${index} on`))
  expect(plan).not.toMatch(/IS NULL OR|Seq Scan on deliveries/)
})
