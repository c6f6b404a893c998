import { expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import { makeSubscriber, publish, succeed } from '../support/fixtures.ts'
import { readWrites, runCounted } from '../support/table-writes.ts'

const database = useDatabase({ partitions: true, connectionsMax: 1 })

/** What it writes to each table to deliver events to an endpoint that has another delivery in the queue. */
async function writesOf({ events }: { events: number }) {
  const tenantId = await runCounted(database, async (setUp) => {
    const subscriber = await makeSubscriber(setUp)
    await publish(setUp, subscriber.tenantId, { heldForMs: 30_000 })
    return subscriber.tenantId
  })
  return await readWrites(database, async (measured) => {
    const held = { count: events, heldForMs: 60_000 }
    await succeed(measured, await publish(measured, tenantId, held))
  })
}

test('a delivery is stored once: its record is inserted when it ends, and not updated', async () => {
  const { deliveries } = await writesOf({ events: 20 })
  expect(deliveries).toMatchObject({ inserts: 20, updates: 0 })
})

test('deliveries that end together are counted by one row, which is in no index', async () => {
  const { attempt_batches: counted } = await writesOf({ events: 20 })
  expect(counted).toEqual({ inserts: 1, updates: 0, hotUpdates: 0, indexInsertions: 0 })
})

test('a delivery that succeeds is inserted into 16 indexes', async () => {
  const writes = Object.entries(await writesOf({ events: 1 }))
  const insertions = writes.map(([table, { indexInsertions }]) => [table, indexInsertions] as const)
  expect(Object.fromEntries(insertions.filter(([, count]) => count > 0))).toEqual({
    events: 4,
    deliveries: 8,
    pending_deliveries: 4,
  })
})

test('the pages of finished deliveries are full, because none is updated', async () => {
  const { tenantId, endpointId } = await makeSubscriber(database)
  const part = 'deliveries_' + new Date().toISOString().slice(0, 10).replaceAll('-', '')
  await database.pool.query(
    `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome,
       attempt_count, completed_at, dead)
     SELECT uuid_v7(), $1, $2, $2, $2, 'site.created', now(), 'succeeded', 1, now(), false
     FROM generate_series(1, 2000)`,
    [tenantId, endpointId],
  )
  const { rows } = await database.pool.query<{ filled: number }>(
    `SELECT sum(pg_column_size(d))::float8 / pg_relation_size($1::text::regclass) AS filled FROM deliveries d`,
    [part],
  )
  expect(rows[0]!.filled).toBeGreaterThan(0.85)
})
