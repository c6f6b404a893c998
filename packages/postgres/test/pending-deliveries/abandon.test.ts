import { abandonDeliveries, finishAttempts, makePartitions } from '@hosting/postgres'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  failAttempt,
  findPending,
  findRecord,
  lapseHold,
  makeSubscriber,
  publish,
  removeEndpoint,
  setEnabled,
} from '../support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})
beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
})

const abandon = () => abandonDeliveries(database.prisma)

describe('abandonDeliveries', () => {
  test('ends the deliveries of a deleted endpoint as dead, with the attempts they had', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [fresh, retried, withJob] = [
      ...(await publish(database, tenantId, { count: 2 })),
      ...(await publish(database, tenantId, { heldForMs: 60_000 })),
    ]
    await failAttempt(database, retried!, { number: 1, delayMs: 60_000 })
    await removeEndpoint(database, endpointId)
    expect(await abandon()).toBe(3)
    for (const [id, attempts] of [
      [fresh!, 0],
      [retried!, 1],
      [withJob!, 0],
    ] as const) {
      expect(await findPending(database, id)).toBeUndefined()
      const record = await findRecord(database, id)
      expect(record).toMatchObject({ outcome: 'dead', attempt_count: attempts })
      expect(Math.abs(record.completed_at!.getTime() - Date.now())).toBeLessThan(5_000)
    }
  })

  test('leaves those of living endpoints, enabled and disabled', async () => {
    const living = await makeSubscriber(database)
    const disabled = await makeSubscriber(database)
    const ids = [
      ...(await publish(database, living.tenantId)),
      ...(await publish(database, disabled.tenantId)),
    ]
    await setEnabled(database, disabled.endpointId, false)
    expect(await abandon()).toBe(0)
    for (const id of ids) expect(await findPending(database, id)).toBeDefined()
  })

  test('ends what it ends once', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId, { count: 10 })
    await removeEndpoint(database, endpointId)
    const counts = await Promise.all(Array.from({ length: 5 }, abandon))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(10)
    expect(await abandon()).toBe(0)
  })

  test('is undone with the transaction that it runs in', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await removeEndpoint(database, endpointId)
    const work = database.prisma.$transaction(async (tx) => {
      expect(await abandonDeliveries(tx)).toBe(1)
      throw new Error('undone')
    })
    await expect(work).rejects.toThrow('undone')
    expect(await findPending(database, deliveryId!)).toBeDefined()
    expect(await findRecord(database, deliveryId!)).toMatchObject({ outcome: null })
  })
})

describe('an attempt in flight to an endpoint that is being deleted', () => {
  async function makeInFlight() {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const leaseId = await claim(database, deliveryId!)
    await removeEndpoint(database, endpointId)
    return { deliveryId: deliveryId!, leaseId: leaseId! }
  }

  test('is let finish, and its result is recorded', async () => {
    const { deliveryId, leaseId } = await makeInFlight()
    expect(await abandon()).toBe(0)
    await finishAttempts(database, [buildFinished({ deliveryId, leaseId })])
    expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: 'succeeded' })
  })

  test('makes no retry if it fails: the delivery ends as dead', async () => {
    const { deliveryId, leaseId } = await makeInFlight()
    const sequel = { status: 'waiting_retry', delayMs: 60_000 } as const
    const outcome = { statusCode: 500, errorClass: 'http_error' } as const
    await finishAttempts(database, [buildFinished({ deliveryId, leaseId, outcome, sequel })])
    expect(await abandon()).toBe(1)
    expect(await findRecord(database, deliveryId)).toMatchObject({
      outcome: 'dead',
      attempt_count: 1,
      attempts: [1],
    })
  })

  test('whose worker died ends as dead once its lease is over', async () => {
    const { deliveryId, leaseId } = await makeInFlight()
    await lapseHold(database, deliveryId)
    expect(await abandon()).toBe(1)
    expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: 'dead' })
    expect(await finishAttempts(database, [buildFinished({ deliveryId, leaseId })])).toEqual(
      new Set(),
    )
    expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: 'dead', attempts: [] })
  })
})
