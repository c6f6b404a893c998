import { hourMs } from '@hosting/core/clock'
import { createUuidv7At } from '@hosting/core/ids'
import { listLostDeliveries, lostCountMax } from '@hosting/postgres/deliveries'
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { queueDelivery, storeDelivery } from '../../../../test/support/stored-deliveries.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase({ partitions: true })

const tenantId = randomUUID()
const startMs = Date.now() - 10_000

interface LastAttempt {
  readonly eventRef?: string
  readonly statusCode?: number | null
  readonly errorClass?: string | null
}

/** Creates a delivery that died at a time, 21 hours after it was created. */
async function makeDead(
  endpointId: string,
  deadAtMs: number,
  { eventRef = randomUUID(), statusCode = 503, errorClass = null }: LastAttempt = {},
) {
  await storeDelivery(database, {
    id: createUuidv7At(deadAtMs - 21 * hourMs),
    tenantId,
    endpointId,
    eventRef,
    outcome: 'dead',
    completedAt: new Date(deadAtMs),
    lastStatusCode: statusCode,
    lastErrorClass: errorClass,
  })
}

test('lost deliveries are those that died in the range and were not redelivered', async () => {
  const [endpointId, untouched] = [randomUUID(), randomUUID()]
  const since = new Date(startMs)
  await makeDead(endpointId, startMs - 1_000)
  await makeDead(endpointId, startMs + 1_000)
  await makeDead(endpointId, startMs + 2_000, { statusCode: null, errorClass: 'tls_error' })
  for (const makeAgain of [queueDelivery, storeDelivery]) {
    const eventRef = randomUUID()
    await makeDead(endpointId, startMs + 2_500, { eventRef })
    const id = createUuidv7At(startMs + 3_000)
    await makeAgain(database, { id, tenantId, endpointId, eventRef })
  }
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
