import { createUuidv7At } from '@hosting/core/ids'
import { makePartitions } from '@hosting/postgres/database'
import { listLostDeliveries, lostCountMax } from '@hosting/postgres/deliveries'
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

const tenantId = randomUUID()
const startMs = Date.now() - 10_000

/** Records a failed attempt of a delivery. */
const recordFailure = (endpointId: string, deliveryId: string, atMs: number) =>
  database.pool.query(
    `INSERT INTO delivery_attempts
       (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, error_class)
     VALUES ($1, $2, $3, $4, 1, $5, 5, 'tls_error')`,
    [createUuidv7At(atMs), deliveryId, endpointId, tenantId, new Date(atMs)],
  )

async function makeDead(endpointId: string, atMs: number, eventRef = randomUUID()) {
  const id = createUuidv7At(atMs)
  await database.pool.query(
    `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
       outcome, dead, completed_at)
     VALUES ($1, $2, $3, $4, $4, 'site.created', now(), 'dead', true, now())`,
    [id, tenantId, endpointId, eventRef],
  )
  return id
}

test('lost deliveries are the dead ones in the range that were not redelivered', async () => {
  const [endpointId, untouched] = [randomUUID(), randomUUID()]
  const since = new Date(startMs)
  await makeDead(endpointId, startMs - 1_000)
  await makeDead(endpointId, startMs + 1_000)
  const newest = await makeDead(endpointId, startMs + 2_000)
  const again = randomUUID()
  await makeDead(endpointId, startMs + 2_500, again)
  await database.pool.query(
    `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at)
     VALUES ($1, $2, $3, $4, $4, 'site.created', now())`,
    [createUuidv7At(startMs + 3_000), tenantId, endpointId, again],
  )
  await recordFailure(endpointId, newest, startMs + 2_100)
  expect(await listLostDeliveries(database, [endpointId, untouched], since)).toEqual([
    {
      endpointId,
      statusCode: null,
      errorClass: 'tls_error',
      since: new Date(startMs + 1_000),
      count: 2,
    },
  ])
  expect(await listLostDeliveries(database, [], since)).toEqual([])
})

test('counting stops at its limit', async () => {
  const endpointId = randomUUID()
  await database.pool.query(
    `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
       outcome, dead, completed_at)
     SELECT id, $2, $3, id, id, 'site.created', now(), 'dead', true, now()
     FROM unnest($1::uuid[]) AS d (id)`,
    [
      Array.from({ length: lostCountMax + 1 }, (_, index) => createUuidv7At(startMs + index)),
      tenantId,
      endpointId,
    ],
  )
  const lost = await listLostDeliveries(database, [endpointId], new Date(startMs))
  expect(lost).toMatchObject([{ count: lostCountMax, statusCode: null, errorClass: null }])
})
