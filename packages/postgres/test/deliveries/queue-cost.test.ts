import {
  countDeliveriesOverTime,
  listDeliveries,
  type DeliveryFilter,
} from '@hosting/postgres/deliveries'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { explainStatements } from '../../../../test/support/statement-cost.ts'
import { useDatabase } from '../support/database.ts'
import { makeEndpoint, makeSubscriber } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
const queued = 40_000
const subscriber = { tenantId: '', endpointId: '' }

/** The accounts that events are about, in turn: each has 1,000 unfinished deliveries, more than a page examines. */
const accounts = 40

/** Adds events to the queue of an endpoint. Of the first attempts, one in a hundred is in progress. */
const fill = (endpointId: string, count: number, attemptsMade: number) =>
  database.pool.query(
    `WITH made AS (
       INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, account_id,
         name, position)
       SELECT id, id, $1, 'site.updated', now(), repeat('x', 450), 1, 'site-' || n, 'account-' || n % $5::int,
         'shop.example', nextval('event_positions')
       FROM (SELECT n, uuid_v7() AS id FROM generate_series(1, $3::int) AS n) AS numbered
       RETURNING id, position
     )
     INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, attempts_made, due_at, held_until,
       lease_id, last_status_code, last_error_class, last_attempt_at)
     SELECT uuid_v7(), $1, $2, id, $4, now(), CASE WHEN leased THEN now() + interval '1 hour' ELSE 'epoch' END,
       CASE WHEN leased THEN id END, CASE WHEN $4 > 0 THEN 503 END, CASE WHEN $4 > 0 THEN 'http_error' END,
       CASE WHEN $4 > 0 THEN now() END
     FROM (SELECT id, $4 = 0 AND position % 100 = 0 AS leased FROM made) AS made`,
    [subscriber.tenantId, endpointId, count, attemptsMade, accounts],
  )

/** Adds events of an account, of which one in a hundred waits. */
const addFinished = (accountId: string, count: number) =>
  database.pool.query(
    `WITH made AS (
       INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, account_id,
         position)
       SELECT id, id, $1, 'site.updated', now(), repeat('x', 450), 1, accountId, accountId, nextval('event_positions')
       FROM (SELECT $3 AS accountId, uuid_v7() AS id FROM generate_series(1, $4::int)) AS numbered
       RETURNING id, position
     )
     INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
     SELECT uuid_v7(), $1, $2, id, now(), 'epoch' FROM made WHERE position % 100 = 0`,
    [subscriber.tenantId, subscriber.endpointId, accountId, count],
  )

beforeAll(async () => {
  Object.assign(subscriber, await makeSubscriber(database))
  // With many endpoints, the planner expects few rows of each.
  for (let other = 0; other < 10; other++) {
    await fill(await makeEndpoint(database, subscriber.tenantId), 2, 0)
  }
  await addFinished('few-account', 100)
  await addFinished('many-account', 2_000)
  await fill(subscriber.endpointId, queued / 2, 0)
  await fill(subscriber.endpointId, queued / 2, 1)
  await addFinished('many-account', 1)
})

/** Runs a read of the queue, and gives what it read. */
async function costOf<Result>(read: (database: never) => Promise<Result>) {
  const client = await database.pool.connect()
  try {
    const onOne = { ...database, pool: client } as never
    // Each connection reads the catalog when it first plans the statements of a function.
    await read(onOne)
    const explained = explainStatements(onOne)
    const result = await read(explained.database as never)
    return { result, blocks: explained.cost().blocks }
  } finally {
    client.release()
  }
}

describe.each(['before', 'after'])('%s the queue was analyzed', (when) => {
  beforeAll(async () => {
    if (when === 'after') await database.pool.query('VACUUM (ANALYZE) pending_deliveries, events')
  })

  test.each<[string, Partial<DeliveryFilter>]>([
    ['all deliveries', {}],
    ['queued ones', { status: 'queued' }],
    ['those that wait for a retry', { status: 'waiting_retry' }],
    ['those that failed with a status code', { statusCode: 503 }],
  ])('a page of %s does not read the rest of the queue', async (_, filter) => {
    const page = { beforeId: undefined, take: 51 }
    const { result, blocks } = await costOf((from) =>
      listDeliveries(from, { tenantId: subscriber.tenantId, ...filter }, page),
    )
    expect(result.rows).toHaveLength(51)
    expect(blocks).toBeLessThan(350)
  })

  test.each<[string, Partial<DeliveryFilter>, number]>([
    ['an account with few events', { accountId: 'few-account' }, 300],
    ['an object with few events', { objectId: 'few-account' }, 300],
    ['an account with many events, of which few wait', { accountId: 'many-account' }, 1_200],
    ['an object with many events, of which few wait', { objectId: 'many-account' }, 1_200],
    ['an account with many events, which wait', { accountId: 'account-7' }, 1_800],
  ])('a page of %s reads a limited number of its events', async (_, filter, blocksMax) => {
    const page = { beforeId: undefined, take: 51 }
    const { blocks } = await costOf((from) =>
      listDeliveries(from, { tenantId: subscriber.tenantId, ...filter }, page),
    )
    expect(blocks).toBeLessThan(blocksMax)
  })

  test('a page of those in progress reads those that are due longest', async () => {
    const page = { beforeId: undefined, take: 51 }
    const { result, blocks } = await costOf((from) =>
      listDeliveries(from, { tenantId: subscriber.tenantId, status: 'in_flight' }, page),
    )
    expect(result.rows.length).toBeGreaterThan(10)
    expect(blocks).toBeLessThan(400)
  })

  test.each<[string, Partial<DeliveryFilter>]>([
    ['all deliveries', {}],
    ['an event type', { eventType: 'site.updated' }],
  ])('a histogram of %s reads each block of the queue and its events once', async (_, filter) => {
    const { tenantId } = subscriber
    const sinceMs = Date.now() - 3_600_000
    const { result, blocks } = await costOf((from) =>
      countDeliveriesOverTime(
        from,
        { tenantId, ...filter, sinceMs },
        { startsMs: [sinceMs], msMax: 60_000 },
      ),
    )
    expect(result.buckets).toEqual([{ succeeded: 0, dead: 0, open: queued + 20 + 21 }])
    // Found one by one, the events alone would be 160,000.
    expect(blocks).toBeLessThan(15_000)
  })
})

test('no function that restricts its plans compiles them', async () => {
  const { rows } = await database.pool.query(
    `SELECT proname FROM pg_proc
     WHERE array_to_string(proconfig, ' ') LIKE '%enable_%' AND NOT 'jit=off' = ANY (proconfig)`,
  )
  expect(rows).toEqual([])
})
