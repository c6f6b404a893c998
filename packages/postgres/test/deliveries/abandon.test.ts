import {
  abandonDeliveries,
  finishAttempts,
  purgeDeletedEndpoints,
} from '@hosting/postgres/deliveries'
import { createRecovery } from '@hosting/postgres/webhooks'
import { beforeEach, describe, expect, test } from '@jest/globals'
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

const database = useDatabase({ partitions: true })
beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
})

const abandon = () => abandonDeliveries(database)

describe('abandonDeliveries', () => {
  test('ends the deliveries of a deleted endpoint as dead and keeps their attempts', async () => {
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

  test('leaves deliveries of existing endpoints, enabled or disabled', async () => {
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

  test('ends each delivery once over concurrent calls', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId, { count: 10 })
    await removeEndpoint(database, endpointId)
    const counts = await Promise.all(Array.from({ length: 5 }, abandon))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(10)
    expect(await abandon()).toBe(0)
  })

  test('continues in batches up to its limit', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId, { count: 7 })
    await removeEndpoint(database, endpointId)
    expect(await abandonDeliveries(database, { batchMax: 2, batchesMax: 2 })).toBe(4)
    expect(await abandonDeliveries(database, { batchMax: 2, batchesMax: 9 })).toBe(3)
  })

  test('skips rows that another process has locked', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [held] = await publish(database, tenantId, { count: 3 })
    await removeEndpoint(database, endpointId)
    await database.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM pending_deliveries WHERE delivery_id = ${held}::uuid FOR UPDATE`
      expect(await abandon()).toBe(2)
    })
    expect(await abandon()).toBe(1)
  })
})

describe('a deleted endpoint', () => {
  const ageDeletion = (endpointId: string, interval: string) =>
    database.pool.query(
      `UPDATE webhook_endpoints SET deleted_at = now() - $2::interval,
         emptied_at = CASE WHEN emptied_at IS NOT NULL THEN now() - $2::interval END
       WHERE id = $1`,
      [endpointId, interval],
    )
  const find = (endpointId: string) =>
    database.prisma.webhookEndpoint.findUnique({
      where: { id: endpointId },
      include: { schedule: true, recoveries: true },
    })

  test('is checked again until no publish from before its deletion can still be open', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId)
    await removeEndpoint(database, endpointId)
    expect(await abandon()).toBe(1)
    expect(await find(endpointId)).toMatchObject({ emptiedAt: null })
    await ageDeletion(endpointId, '11 minutes')
    await abandon()
    expect((await find(endpointId))!.emptiedAt).not.toBeNull()
  })

  test('is not marked as emptied while a delivery is waiting or in flight', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await claim(database, deliveryId!)
    await removeEndpoint(database, endpointId)
    await ageDeletion(endpointId, '11 minutes')
    await abandon()
    expect(await find(endpointId)).toMatchObject({ emptiedAt: null })
  })

  test('is removed 30 days later with its schedule and recoveries, if no delivery refers to it', async () => {
    const [gone, recent, named] = [
      await makeSubscriber(database),
      await makeSubscriber(database),
      await makeSubscriber(database),
    ]
    await publish(database, named.tenantId)
    const span = { sinceMs: Date.now() - 60_000, untilMs: Date.now() }
    for (const target of [gone, recent, named]) {
      await createRecovery(database.prisma, target, span)
      await removeEndpoint(database, target.endpointId)
      await ageDeletion(target.endpointId, '11 minutes')
    }
    await abandon()
    await ageDeletion(gone.endpointId, '30 days 1 minute')
    await ageDeletion(named.endpointId, '30 days 1 minute')
    await ageDeletion(recent.endpointId, '29 days')
    expect(await purgeDeletedEndpoints(database)).toBe(1)
    expect(await find(gone.endpointId)).toBeNull()
    const recoveries = { where: { endpointId: gone.endpointId } }
    expect(await database.prisma.webhookRecovery.count(recoveries)).toBe(0)
    expect(await find(recent.endpointId)).not.toBeNull()
    expect(await find(named.endpointId)).not.toBeNull()
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

  test('completes, and its result is recorded', async () => {
    const { deliveryId, leaseId } = await makeInFlight()
    expect(await abandon()).toBe(0)
    await finishAttempts(database, [buildFinished({ deliveryId, leaseId })])
    expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: 'succeeded' })
  })

  test('gets no retry if it fails: the delivery ends as dead', async () => {
    const { deliveryId, leaseId } = await makeInFlight()
    const nextStep = { status: 'waiting_retry', delayMs: 60_000 } as const
    const outcome = { statusCode: 500, errorClass: 'http_error' } as const
    await finishAttempts(database, [buildFinished({ deliveryId, leaseId, outcome, nextStep })])
    expect(await abandon()).toBe(1)
    expect(await findRecord(database, deliveryId)).toMatchObject({
      outcome: 'dead',
      attempt_count: 1,
      attempts: [1],
    })
  })

  test('ends as dead when its lease expires if its worker died', async () => {
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
