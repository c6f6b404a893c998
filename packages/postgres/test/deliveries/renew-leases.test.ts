import { renewLeases, takeDueAttempts } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  failAttempt,
  findPending,
  lapseHold,
  makeSubscriber,
  publish,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

async function makeClaimed() {
  const { tenantId } = await makeSubscriber(database)
  const [deliveryId] = await publish(database, tenantId)
  const leaseId = (await claim(database, deliveryId!))!
  return buildFinished({ deliveryId: deliveryId!, leaseId })
}

const leaseMs = 300_000

describe('renewLeases', () => {
  test('extends a lease from the current time', async () => {
    const attempt = await makeClaimed()
    await renewLeases(database, [attempt], leaseMs)
    const row = await findPending(database, attempt.deliveryId)
    expect(row).toMatchObject({ lease_id: attempt.leaseId })
    expect(row!.held_for_ms).toBeGreaterThan(leaseMs - 5_000)
  })

  test('restores a lease that the relay has released', async () => {
    const attempt = await makeClaimed()
    await lapseHold(database, attempt.deliveryId)
    const many = { normal: 1_000, slow: 1_000 }
    await takeDueAttempts(database, { horizonMs: 0, holdMs: 10_000, perEndpoint: many, max: many })
    expect(await findPending(database, attempt.deliveryId)).toMatchObject({ lease_id: null })
    await renewLeases(database, [attempt], leaseMs)
    expect(await findPending(database, attempt.deliveryId)).toMatchObject({
      lease_id: attempt.leaseId,
    })
    expect(await claim(database, attempt.deliveryId)).toBeUndefined()
  })

  test('leaves an attempt that another process has claimed or that was recorded', async () => {
    const [claimed, recorded] = [await makeClaimed(), await makeClaimed()]
    await lapseHold(database, claimed.deliveryId)
    const other = await claim(database, claimed.deliveryId)
    await lapseHold(database, recorded.deliveryId)
    await failAttempt(database, recorded.deliveryId)
    await renewLeases(database, [claimed, recorded], leaseMs)
    expect(await findPending(database, claimed.deliveryId)).toMatchObject({ lease_id: other })
    expect(await findPending(database, recorded.deliveryId)).toMatchObject({ lease_id: null })
  })

  test('skips locked rows and renews the others', async () => {
    const [locked, free] = [await makeClaimed(), await makeClaimed()]
    await database.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM pending_deliveries WHERE delivery_id = ${locked.deliveryId}::uuid FOR UPDATE`
      await renewLeases(database, [locked, free], leaseMs)
    })
    expect((await findPending(database, locked.deliveryId))!.held_for_ms).toBeLessThan(60_000)
    expect((await findPending(database, free.deliveryId))!.held_for_ms).toBeGreaterThan(60_000)
  })
})
