import { describe, expect, test } from '@jest/globals'
import {
  claim,
  failAttempt,
  findPending,
  lapseHold,
  makeSubscriber,
  publish,
  succeed,
} from '../support/fixtures.ts'
import { postpone, database, both, take, takeIds } from '../support/due-attempts.ts'
import { rollingBack } from '../support/database.ts'

describe('takeDueAttempts', () => {
  test('takes due deliveries and holds them for their jobs', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const { attempts: due } = await take()
    expect(due).toMatchObject([{ deliveryId, endpointId, tenantId, number: 1, lane: 'normal' }])
    expect(due[0]!.delayMs).toBeLessThanOrEqual(0)
    const row = await findPending(database, deliveryId!)
    expect(row!.lease_id).toBeNull()
    expect(row!.held_for_ms).toBeGreaterThan(5_000)
    expect(row!.held_for_ms).toBeLessThanOrEqual(10_000)
    expect(await takeIds()).toEqual([])
  })

  test('takes deliveries published in the same millisecond', async () => {
    const { tenantId } = await makeSubscriber(database)
    for (let round = 0; round < 50; round++) {
      const [deliveryId] = await publish(database, tenantId)
      expect(await takeIds()).toEqual([deliveryId])
      await succeed(database, [deliveryId!])
    }
  })

  test('takes a delivery again when its hold has ended or it was postponed', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await take()
    await lapseHold(database, deliveryId!)
    expect(await takeIds()).toEqual([deliveryId])
    await postpone([deliveryId!])
    expect(await takeIds()).toEqual([deliveryId])
  })

  test('returns the number of the next attempt', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await failAttempt(database, deliveryId!, { number: 1 })
    await failAttempt(database, deliveryId!, { number: 2 })
    expect((await take()).attempts).toMatchObject([{ deliveryId, number: 3 }])
  })

  test('takes deliveries due within the horizon, with the time until they are due', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [soon, later] = await publish(database, tenantId, { count: 2 })
    await failAttempt(database, soon!, { delayMs: 60_000 })
    await failAttempt(database, later!, { delayMs: 300_000 })
    expect(await takeIds({ horizonMs: 30_000 })).toEqual([])
    const { attempts: due } = await take({ horizonMs: 120_000 })
    expect(due).toMatchObject([{ deliveryId: soon, number: 2 }])
    expect(due[0]!.delayMs).toBeGreaterThan(50_000)
    expect(due[0]!.delayMs).toBeLessThanOrEqual(60_000)
    const row = await findPending(database, soon!)
    expect(Math.round(row!.held_for_ms - row!.due_in_ms)).toBe(10_000)
  })

  test('skips deliveries that a job or a worker holds', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [withJob] = await publish(database, tenantId, { heldForMs: 60_000 })
    const [inFlight] = await publish(database, tenantId)
    const leaseId = await claim(database, inFlight!)
    expect(await takeIds()).toEqual([])
    expect(await findPending(database, withJob!)).toMatchObject({ lease_id: null })
    expect(await findPending(database, inFlight!)).toMatchObject({ lease_id: leaseId })
  })

  test('takes back the deliveries of a worker that died', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await claim(database, deliveryId!)
    await lapseHold(database, deliveryId!)
    expect((await take()).attempts).toMatchObject([{ deliveryId, number: 1 }])
    expect(await findPending(database, deliveryId!)).toMatchObject({ lease_id: null })
  })

  test('does not wait for rows that another transaction has locked', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [locked, free] = await publish(database, tenantId, { count: 2 })
    await rollingBack(database, async (client) => {
      await client.query('SELECT 1 FROM pending_deliveries WHERE delivery_id = $1 FOR UPDATE', [
        locked,
      ])
      expect(await takeIds()).toEqual([free])
    })
    expect(await takeIds()).toEqual([locked])
  })
})

describe('concurrent callers', () => {
  test('never take the same delivery, and take all of them', async () => {
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      const { tenantId } = await makeSubscriber(database)
      ids.push(...(await publish(database, tenantId, { count: 12 })))
    }
    const taken: string[] = []
    for (;;) {
      const rounds = await Promise.all(
        Array.from({ length: 10 }, () => takeIds({ perEndpoint: both(3) })),
      )
      taken.push(...rounds.flat())
      if (rounds.flat().length === 0) break
      await succeed(database, rounds.flat())
    }
    expect(taken).toHaveLength(ids.length)
    expect(taken.toSorted()).toEqual(ids.toSorted())
  })

  test('and claimers never hold the same delivery', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 20 })
    const [leases, due] = await Promise.all([
      Promise.all(ids.map((deliveryId) => claim(database, deliveryId))),
      takeIds(),
    ])
    for (const [index, deliveryId] of ids.entries()) {
      const row = await findPending(database, deliveryId)
      expect(row!.held_for_ms).toBeGreaterThan(0)
      // A delivery taken first can be claimed by its job. A delivery claimed first is not taken.
      expect(row!.lease_id ?? undefined).toBe(leases[index])
      expect(leases[index] !== undefined || due.includes(deliveryId)).toBe(true)
    }
  })
})
