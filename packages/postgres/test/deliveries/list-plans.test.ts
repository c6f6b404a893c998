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

test('a list with a time range skips the partitions of other days', async () => {
  const sinceMs = Date.now()
  const all = await explain(newest, {})
  const recent = await explain(newest, { sinceMs })
  const count = (plan: string) => plan.match(/Scan using deliveries_/g)!.length
  expect(count(recent)).toBeLessThan(count(all))
})

test.each([
  ['an event type', 'search-deliveries-by-type', '(hashtextextended(event_type, '],
  [
    'an object',
    'search-deliveries-by-object',
    'AND ((lower((object_id)::text))::text = object.id)',
  ],
  ['a name', 'search-deliveries-by-name', '(hashtextextended((lower((event_name)::text))::text, '],
])('a search for %s reads its index', async (_, name, condition) => {
  const values = { searched: 'site', searchedType: 'site.created', objectIds: ['site_1', 'site_2'] }
  const plan = await explain(name, {}, values)
  expect(plan).toContain(condition)
  expect(plan).not.toContain('Seq Scan on deliveries')
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
