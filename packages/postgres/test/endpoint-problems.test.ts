import { createUuidv7At } from '@hosting/core'
import {
  listEndpointFailures,
  listLostDeliveries,
  makePartitions,
  problemCountMax,
} from '@hosting/postgres'
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from './support/database.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

const tenantId = randomUUID()
const startMs = Date.now() - 10_000

interface Attempt {
  readonly atMs: number
  readonly deliveryId?: string
  readonly statusCode?: number | null
  readonly errorClass?: string | null
}

async function record(endpointId: string, attempts: readonly Attempt[]): Promise<void> {
  await database.pool.query(
    `INSERT INTO delivery_attempts
       (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
     SELECT id, delivery_id, $2, $3, 1, started_at, 5, status_code, error_class
     FROM unnest($1::uuid[], $4::uuid[], $5::timestamptz[], $6::int[], $7::text[])
       AS a (id, delivery_id, started_at, status_code, error_class)`,
    [
      attempts.map(({ atMs }) => createUuidv7At(atMs)),
      endpointId,
      tenantId,
      attempts.map(({ deliveryId = randomUUID() }) => deliveryId),
      attempts.map(({ atMs }) => new Date(atMs)),
      attempts.map(({ statusCode = null }) => statusCode),
      attempts.map(({ errorClass = 'timeout' }) => errorClass),
    ],
  )
}

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

test('failures are those since the last success, with the cause of the last one', async () => {
  const [failing, healthy] = [randomUUID(), randomUUID()]
  await record(failing, [
    { atMs: startMs, errorClass: 'dns_error' },
    { atMs: startMs + 1_000, statusCode: 204, errorClass: null },
    { atMs: startMs + 2_000, errorClass: 'timeout' },
    { atMs: startMs + 3_000, statusCode: 503, errorClass: 'http_error' },
  ])
  await record(healthy, [{ atMs: startMs, statusCode: 204, errorClass: null }])
  const failures = await listEndpointFailures(database, [
    { id: failing, lastSuccessAt: new Date(startMs + 1_000) },
    { id: healthy, lastSuccessAt: new Date(startMs) },
  ])
  expect(failures).toEqual([
    {
      endpoint_id: failing,
      status_code: 503,
      error_class: 'http_error',
      since: new Date(startMs + 2_000),
      count: 2,
    },
  ])
  const [all] = await listEndpointFailures(database, [{ id: failing, lastSuccessAt: null }])
  expect(all).toMatchObject({ count: 3, since: new Date(startMs) })
  expect(await listEndpointFailures(database, [])).toEqual([])
})

test('the count of failures stops at its limit', async () => {
  const endpointId = randomUUID()
  const attempts = Array.from({ length: problemCountMax + 1 }, (_, index) => ({
    atMs: startMs + index,
  }))
  await record(endpointId, attempts)
  const failures = await listEndpointFailures(database, [{ id: endpointId, lastSuccessAt: null }])
  expect(failures).toMatchObject([{ count: problemCountMax, since: new Date(startMs) }])
})

test('lost deliveries are the dead ones of the span that were not redelivered', async () => {
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
  await record(endpointId, [{ atMs: startMs + 2_100, deliveryId: newest, errorClass: 'tls_error' }])
  expect(await listLostDeliveries(database, [endpointId, untouched], since)).toEqual([
    {
      endpoint_id: endpointId,
      status_code: null,
      error_class: 'tls_error',
      since: new Date(startMs + 1_000),
      count: 2,
    },
  ])
  expect(await listLostDeliveries(database, [], since)).toEqual([])
})
