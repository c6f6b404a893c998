import { listDeliveries, type DeliveryFilter } from '@hosting/postgres/deliveries'
import { beforeAll, expect, test } from '@jest/globals'
import { explainStatements } from '../../../../test/support/statement-cost.ts'
import { agedRecords } from '../support/aged-records.ts'
import { useDatabase } from '../support/database.ts'
import { makeSubscriber } from '../support/fixtures.ts'

const database = useDatabase()
const subscriber = { tenantId: '', endpointId: '' }
const days = 28
const deliveriesPerDay = 2_000
/** In turn: each has 1,120 deliveries, on as many blocks. */
const objects = 50
/** One after the other: each has 14,000 deliveries, on neighboring blocks. */
const accounts = 4

beforeAll(async () => {
  const { makeDay } = agedRecords(database)
  for (let day = 0; day <= days; day++) await makeDay(day)
  const { tenantId, endpointId } = Object.assign(subscriber, await makeSubscriber(database))
  await database.pool.query(
    `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome,
       attempt_count, completed_at, dead, object_id, account_id, event_name, last_status_code)
     SELECT id, $1, $2, id, id, 'site.updated', now(), 'succeeded', 1, now(), false, 'site-' || n % $5::int,
       'account-' || n / $6::int, 'shop.example', 200
     FROM (SELECT n, (left(uuid_v7_floor(now() - n * interval '24 hours' / $4::int)::text, 14) || '7'
         || right(gen_random_uuid()::text, 21))::uuid AS id
       FROM generate_series(1, $3::int * $4) AS n) AS made`,
    [tenantId, endpointId, days, deliveriesPerDay, objects, (days * deliveriesPerDay) / accounts],
  )
  // The queue is long, so that an index of it has several levels.
  await database.pool.query(
    `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
     SELECT uuid_v7(), $1, $2, uuid_v7(), now(), 'epoch' FROM generate_series(1, 40000)`,
    [tenantId, endpointId],
  )
  await database.pool.query('VACUUM (ANALYZE) deliveries, pending_deliveries, webhook_endpoints')
})

/** What the statements of a page read. */
async function costOf(filter: Partial<DeliveryFilter>) {
  const page = { beforeId: undefined, take: 51 }
  const whole = { tenantId: subscriber.tenantId, ...filter }
  // Each connection reads the catalog when it first plans the statements of a function.
  await listDeliveries(database, whole, page)
  const explained = explainStatements(database)
  const { rows } = await listDeliveries(explained.database, whole, page)
  return { found: rows.length, blocks: explained.cost().blocks }
}

test.each<[string, Partial<DeliveryFilter>]>([
  ['an object', { objectId: 'site-7' }],
  ['an object and an event type', { objectId: 'site-7', eventType: 'site.updated' }],
  ['an object that succeeded', { objectId: 'site-7', status: 'succeeded' }],
  ['an account', { accountId: 'account-0' }],
  ['an account with a status code', { accountId: 'account-0', statusCode: 200 }],
])('a page of the deliveries of %s reads few others', async (_, filter) => {
  const { found, blocks } = await costOf(filter)
  expect(found).toBe(51)
  expect(blocks).toBeLessThan(150)
})

test.each<[string, Partial<DeliveryFilter>]>([
  ['dead', { status: 'dead' }],
  ['queued', { status: 'queued' }],
  ['with another status code', { statusCode: 204 }],
])(
  'a page of the deliveries of an account that are %s does not search the queue for others',
  async (_, filter) => {
    const { found, blocks } = await costOf({ accountId: 'account-0', ...filter })
    expect(found).toBe(0)
    // The blocks of 5,000 neighboring deliveries, which are read twice if VACUUM could not mark them as visible to all.
    expect(blocks).toBeLessThan(450)
  },
)
