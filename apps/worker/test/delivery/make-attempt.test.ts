import { customHeadersContext, signatureHeader, signingSecretContext } from '@hosting/core/webhooks'
import { replaceEndpointHeaders } from '@hosting/postgres/webhooks'
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { findPending, findRecord } from '../../../../packages/postgres/test/support/fixtures.ts'
import type { Receiver } from '../../../../test/support/receiver.ts'
import { rotate, useAttempts, testStore } from '../support/attempts.ts'

const database = useDatabase()
const { openWorker, makeDelivery } = useAttempts(database)

/** Replaces the custom headers of an endpoint, encrypted for their own or another record. */
async function putHeaders(
  endpointId: string,
  headers: object,
  encryptedFor?: string,
): Promise<void> {
  const id = randomUUID()
  const encrypted = testStore.encrypt(
    JSON.stringify(headers),
    customHeadersContext(encryptedFor ?? id),
  )
  await database.prisma.$transaction((tx) =>
    replaceEndpointHeaders(tx, endpointId, { id, names: Object.keys(headers), encrypted }),
  )
}

const onceOnly = (work: () => Promise<void>): (() => Promise<void>) => {
  let isDone = false
  return async () => {
    if (isDone) return
    isDone = true
    await work()
  }
}

const refuse = () =>
  Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))

async function expectSigned(receiver: Receiver, secret: string): Promise<void> {
  expect(receiver.requests).toHaveLength(1)
  const { headers, body } = receiver.requests[0]!
  const expected = signatureHeader(body, [secret], Number(headers['service-timestamp']))
  expect(headers['service-signature']).toBe(expected)
}

test('signs with the new secret after a rotation between claim and signature', async () => {
  const { receiver, endpointId, deliveryId } = await makeDelivery()
  const makeAttempt = await openWorker({
    'find-encrypted-secrets': onceOnly(() => rotate(database, endpointId, 'whsec_second')),
  })
  await makeAttempt(deliveryId)
  await expectSigned(receiver, 'whsec_second')
  expect(await findRecord(database, deliveryId)).toMatchObject({
    outcome: 'succeeded',
    attempts: [1],
  })
})

test.each(['claim-unthrottled-attempts', 'find-encrypted-secrets', 'record-successes'])(
  'sends once if PostgreSQL is unavailable at %s',
  async (statement) => {
    const { receiver, deliveryId } = await makeDelivery()
    const makeAttempt = await openWorker({ [statement]: onceOnly(refuse) })
    await makeAttempt(deliveryId)
    await expectSigned(receiver, 'whsec_first')
    expect(await findRecord(database, deliveryId)).toMatchObject({
      outcome: 'succeeded',
      attempts: [1],
    })
  },
)

test('does not send an attempt again while its result is not recorded', async () => {
  const { receiver, deliveryId } = await makeDelivery()
  const recording = Promise.withResolvers<void>()
  const makeAttempt = await openWorker({ 'record-successes': () => recording.promise })
  const first = makeAttempt(deliveryId)
  await receiver.next()
  await database.pool.query(
    'UPDATE pending_deliveries SET lease_id = NULL, held_until = now() WHERE delivery_id = $1',
    [deliveryId],
  )
  await makeAttempt(deliveryId)
  recording.resolve()
  await first
  expect(receiver.requests).toHaveLength(1)
  expect(await findRecord(database, deliveryId)).toMatchObject({
    outcome: 'succeeded',
    attempts: [1],
  })
})

test('does not send if the lease could end before the attempt does', async () => {
  const { receiver, deliveryId } = await makeDelivery()
  const stalled = onceOnly(() => setTimeout(5_050))
  const makeAttempt = await openWorker(
    { 'find-encrypted-secrets': stalled },
    { WEBHOOK_TIMEOUT_SECONDS: '10' },
  )
  await makeAttempt(deliveryId)
  expect(receiver.requests).toEqual([])
  expect(await findPending(database, deliveryId)).toMatchObject({
    attempts_made: 0,
    lease_id: null,
  })
})

test('custom headers are sent, whatever their names', async () => {
  const { receiver, endpointId, deliveryId } = await makeDelivery()
  const headers = {
    Authorization: 'Bearer x',
    "!#$%&'*+-.^_`|~": '~ !',
    constructor: 'c',
  }
  await putHeaders(endpointId, headers)
  const makeAttempt = await openWorker({})
  await makeAttempt(deliveryId)
  await expectSigned(receiver, 'whsec_first')
  const { headers: received } = receiver.requests[0]!
  expect(received).toMatchObject({
    authorization: 'Bearer x',
    "!#$%&'*+-.^_`|~": '~ !',
    constructor: 'c',
  })
})

test('sends the new custom headers after they were replaced between claim and lookup', async () => {
  const { receiver, endpointId, deliveryId } = await makeDelivery()
  await putHeaders(endpointId, { 'X-A': 'first' })
  const makeAttempt = await openWorker({
    'find-encrypted-headers': onceOnly(() => putHeaders(endpointId, { 'X-A': 'second' })),
  })
  await makeAttempt(deliveryId)
  expect(receiver.requests.map(({ headers }) => headers['x-a'])).toEqual(['second'])
})

test('postpones a delivery, without using up an attempt, if its custom headers cannot be decrypted', async () => {
  const { receiver, endpointId, deliveryId } = await makeDelivery()
  await putHeaders(endpointId, { 'X-A': 'a' }, randomUUID())
  const makeAttempt = await openWorker({})
  await makeAttempt(deliveryId)
  expect(receiver.requests).toEqual([])
  expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: null, attempts: [] })
  await putHeaders(endpointId, { 'X-A': 'opens' })
  await database.pool.query(
    'UPDATE pending_deliveries SET held_until = now() WHERE delivery_id = $1',
    [deliveryId],
  )
  await makeAttempt(deliveryId)
  expect(receiver.requests.map(({ headers }) => headers['x-a'])).toEqual(['opens'])
})

test('postpones a delivery by a minute, without using up an attempt, if its secret cannot be decrypted', async () => {
  const { receiver, endpointId, deliveryId } = await makeDelivery()
  await database.prisma.webhookSecret.updateMany({
    where: { endpointId },
    data: { encrypted: testStore.encrypt('whsec_else', signingSecretContext(randomUUID())) },
  })
  const makeAttempt = await openWorker({})
  await makeAttempt(deliveryId)
  expect(receiver.requests).toEqual([])
  expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: null, attempts: [] })
  const { rows } = await database.pool.query(
    `SELECT attempts_made, lease_id, due_at <= now() AS due,
       held_until BETWEEN now() + interval '50 s' AND now() + interval '60 s' AS held
     FROM pending_deliveries WHERE delivery_id = $1`,
    [deliveryId],
  )
  expect(rows).toEqual([{ attempts_made: 0, lease_id: null, due: true, held: true }])
  const { rowCount } = await database.pool.query(
    `SELECT 1 FROM endpoint_wakeups
     WHERE endpoint_id = $1 AND at BETWEEN now() + interval '50 s' AND now() + interval '60 s'`,
    [endpointId],
  )
  expect(rowCount).toBe(1)
})

test('postpones an attempt of a throttled endpoint that could not start in time', async () => {
  const { receiver, endpointId, deliveryId } = await makeDelivery()
  await database.prisma.webhookEndpoint.update({
    where: { id: endpointId },
    data: { rateLimitPerSecond: 5 },
  })
  const late = onceOnly(() => setTimeout(300))
  const makeAttempt = await openWorker({ 'find-encrypted-secrets': late })
  await makeAttempt(deliveryId)
  expect(receiver.requests).toEqual([])
  expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: null, attempts: [] })
  const { rows } = await database.pool.query(
    `SELECT attempts_made, lease_id, held_until <= now() AS free FROM pending_deliveries
     WHERE delivery_id = $1`,
    [deliveryId],
  )
  expect(rows).toEqual([{ attempts_made: 0, lease_id: null, free: true }])
  await makeAttempt(deliveryId)
  expect(receiver.requests).toHaveLength(1)
})

const isSlow = async (endpointId: string): Promise<boolean> => {
  const schedule = await database.prisma.webhookEndpointSchedule.findUnique({
    where: { endpointId },
  })
  return schedule?.slowUntil != null
}

test('only timed-out attempts move their endpoint to the slow lane', async () => {
  const makeShortAttempt = await openWorker({}, { WEBHOOK_TIMEOUT_SECONDS: '0.2' })
  const makeAttempt = await openWorker({})
  const endless = () => ({ status: 200, body: new Readable({ read: () => undefined }) }) as const
  const hanging = await Promise.all([
    ...Array.from({ length: 10 }, () => makeDelivery(() => 'hang')),
    makeDelivery(endless),
  ])
  const failing = await Promise.all([
    makeDelivery(() => 'reset'),
    makeDelivery(() => ({ status: 500 })),
    makeDelivery(),
  ])
  for (const { deliveryId } of hanging) await makeShortAttempt(deliveryId)
  // These have enough time even on a busy machine.
  for (const { deliveryId } of failing) await makeAttempt(deliveryId)
  const slow = await Promise.all(hanging.map(({ endpointId }) => isSlow(endpointId)))
  expect(slow).toEqual(hanging.map(() => true))
  const others = await Promise.all(failing.map(({ endpointId }) => isSlow(endpointId)))
  expect(others).toEqual([false, false, false])
})
