import { makePartitions, releaseHolds, takeDueAttempts } from '@hosting/postgres'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import {
  claim,
  failAttempt,
  findPending,
  lapseHold,
  makeEndpoint,
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

const take = (options: Partial<Parameters<typeof takeDueAttempts>[1]> = {}) =>
  takeDueAttempts(database, {
    horizonMs: 0,
    holdMs: 10_000,
    perEndpointMax: 100,
    max: 1_000,
    ...options,
  })

const takeIds = async (options: Parameters<typeof take>[0] = {}) =>
  (await take(options)).map(({ deliveryId }) => deliveryId).toSorted()

describe('takeDueAttempts', () => {
  test('takes what is due, and holds it for the job that follows', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const due = await take()
    expect(due).toEqual([{ deliveryId, number: 1, delayMs: expect.any(Number) }])
    expect(due[0]!.delayMs).toBeLessThanOrEqual(0)
    const row = await findPending(database, deliveryId!)
    expect(row!.lease_id).toBeNull()
    expect(row!.held_for_ms).toBeGreaterThan(5_000)
    expect(row!.held_for_ms).toBeLessThanOrEqual(10_000)
    expect(await take()).toEqual([])
  })

  test('takes it again once the hold is over, or was given back', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await take()
    await lapseHold(database, deliveryId!)
    expect(await takeIds()).toEqual([deliveryId])
    await releaseHolds(database, [deliveryId!])
    expect(await takeIds()).toEqual([deliveryId])
  })

  test('names the attempt that comes next', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await failAttempt(database, deliveryId!, { number: 1 })
    await failAttempt(database, deliveryId!, { number: 2 })
    expect(await take()).toMatchObject([{ deliveryId, number: 3 }])
  })

  test('takes what is due within the horizon, and says in how long', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [soon, later] = await publish(database, tenantId, { count: 2 })
    await failAttempt(database, soon!, { delayMs: 60_000 })
    await failAttempt(database, later!, { delayMs: 300_000 })
    expect(await take({ horizonMs: 30_000 })).toEqual([])
    const due = await take({ horizonMs: 120_000 })
    expect(due).toMatchObject([{ deliveryId: soon, number: 2 }])
    expect(due[0]!.delayMs).toBeGreaterThan(50_000)
    expect(due[0]!.delayMs).toBeLessThanOrEqual(60_000)
    const row = await findPending(database, soon!)
    expect(Math.round(row!.held_for_ms - row!.due_in_ms)).toBe(10_000)
  })

  test('leaves what a job or a worker holds', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [withJob] = await publish(database, tenantId, { heldForMs: 60_000 })
    const [inFlight] = await publish(database, tenantId)
    const leaseId = await claim(database, inFlight!)
    expect(await take()).toEqual([])
    expect(await findPending(database, withJob!)).toMatchObject({ lease_id: null })
    expect(await findPending(database, inFlight!)).toMatchObject({ lease_id: leaseId })
  })

  test('takes back what a worker held that died', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await claim(database, deliveryId!)
    await lapseHold(database, deliveryId!)
    expect(await take()).toMatchObject([{ deliveryId, number: 1 }])
    expect(await findPending(database, deliveryId!)).toMatchObject({ lease_id: null })
  })

  test('waits for no row that another transaction has locked', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [locked, free] = await publish(database, tenantId, { count: 2 })
    const client = await database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT 1 FROM pending_deliveries WHERE delivery_id = $1 FOR UPDATE', [
        locked,
      ])
      expect(await takeIds()).toEqual([free])
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect(await takeIds()).toEqual([locked])
  })
})

describe('what is taken of each endpoint', () => {
  test('is at most so much at a time, the longest due first', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 5 })
    await database.pool.query(
      `UPDATE pending_deliveries p SET due_at = now() - make_interval(secs => i.place)
       FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, place) WHERE p.delivery_id = i.id`,
      [ids],
    )
    expect(await takeIds({ perEndpointMax: 2 })).toEqual(ids.slice(3).toSorted())
    expect(await takeIds({ perEndpointMax: 2 })).toEqual(ids.slice(1, 3).toSorted())
    expect(await takeIds({ perEndpointMax: 2 })).toEqual(ids.slice(0, 1))
  })

  test('does not lessen what is taken of others: a long backlog keeps no other endpoint waiting', async () => {
    const busy = await makeSubscriber(database)
    await publish(database, busy.tenantId, { count: 30 })
    const others = []
    for (let index = 0; index < 3; index++) {
      const { tenantId } = await makeSubscriber(database)
      others.push(...(await publish(database, tenantId)))
    }
    const due = await takeIds({ perEndpointMax: 4 })
    expect(due).toHaveLength(4 + 3)
    expect(due).toEqual(expect.arrayContaining(others))
  })

  test('together is at most so much', async () => {
    const { tenantId } = await makeSubscriber(database)
    for (let index = 0; index < 4; index++) await makeEndpoint(database, tenantId)
    await publish(database, tenantId, { count: 2 })
    expect(await take({ max: 3 })).toHaveLength(3)
    expect(await take()).toHaveLength(10 - 3)
  })
})

describe('endpoints that take no deliveries', () => {
  test('disabled: nothing is taken until it is enabled', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database, { enabled: false })
    const ids = await publish(database, tenantId, { count: 2 })
    expect(await take()).toEqual([])
    await setEnabled(database, endpointId, true)
    expect(await takeIds()).toEqual(ids.toSorted())
  })

  test('deleted: nothing is taken', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId)
    await removeEndpoint(database, endpointId)
    expect(await take()).toEqual([])
  })

  test('take nothing of the bounds', async () => {
    const { tenantId } = await makeSubscriber(database, { enabled: false })
    await publish(database, tenantId, { count: 5 })
    const open = await makeSubscriber(database)
    const ids = await publish(database, open.tenantId, { count: 2 })
    expect(await takeIds({ max: 2 })).toEqual(ids.toSorted())
  })
})

describe('callers at the same time', () => {
  test('never take the same, and nothing is left', async () => {
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      const { tenantId } = await makeSubscriber(database)
      ids.push(...(await publish(database, tenantId, { count: 12 })))
    }
    const taken: string[] = []
    for (;;) {
      const rounds = await Promise.all(
        Array.from({ length: 10 }, () => takeIds({ perEndpointMax: 3 })),
      )
      taken.push(...rounds.flat())
      if (rounds.flat().length === 0) break
    }
    expect(taken).toHaveLength(ids.length)
    expect(taken.toSorted()).toEqual(ids.toSorted())
  })

  test('and claimers never hold the same', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 20 })
    const [leases, due] = await Promise.all([
      Promise.all(ids.map((deliveryId) => claim(database, deliveryId))),
      takeIds(),
    ])
    for (const [index, deliveryId] of ids.entries()) {
      const row = await findPending(database, deliveryId)
      expect(row!.held_for_ms).toBeGreaterThan(0)
      // Who was taken for a job first may be claimed by that job; who was claimed first is not taken.
      expect(row!.lease_id ?? undefined).toBe(leases[index])
      expect(leases[index] !== undefined || due.includes(deliveryId)).toBe(true)
    }
  })
})
