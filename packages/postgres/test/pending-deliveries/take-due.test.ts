import { slowLaneMs } from '@hosting/core'
import {
  finishAttempts,
  makePartitions,
  publishEvents,
  releaseHolds,
  takeDueAttempts,
  type DueLimits,
} from '@hosting/postgres'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import {
  buildEvent,
  buildFinished,
  claim,
  failAttempt,
  findPending,
  heldFor,
  lapseHold,
  letWakeupsCome,
  makeEndpoint,
  makeSubscriber,
  publish,
  removeEndpoint,
  setEnabled,
  succeed,
  timeOut,
} from '../support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})
beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
})

const both = (number: number) => ({ normal: number, slow: number })

/** Looks at every endpoint that has a wake-up, or at those given. */
async function take(options: Partial<DueLimits> = {}, endpointIds?: readonly string[]) {
  await letWakeupsCome(database)
  return takeDueAttempts(
    database,
    { horizonMs: 0, holdMs: 10_000, perEndpoint: both(100), max: both(1_000), ...options },
    endpointIds,
  )
}

const takeIds = async (...options: Parameters<typeof take>) =>
  (await take(...options)).attempts.map(({ deliveryId }) => deliveryId).toSorted()

/** Publishes events that are due one second after another. Returns the ids of their deliveries. */
async function makeBacklog(tenantId: string, count: number): Promise<string[]> {
  const ids = await publish(database, tenantId, { count })
  await database.pool.query(
    `UPDATE pending_deliveries p SET due_at = now() - ($2 - i.place + 1) * interval '1 second'
     FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, place) WHERE p.delivery_id = i.id`,
    [ids, count],
  )
  return ids
}

describe('takeDueAttempts', () => {
  test('takes what is due, and holds it for the job that follows', async () => {
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

  test('takes what was published in this very millisecond', async () => {
    const { tenantId } = await makeSubscriber(database)
    for (let round = 0; round < 50; round++) {
      const [deliveryId] = await publish(database, tenantId)
      expect(await takeIds()).toEqual([deliveryId])
      await succeed(database, [deliveryId!])
    }
  })

  test('takes it again after the hold has ended or was released', async () => {
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
    expect((await take()).attempts).toMatchObject([{ deliveryId, number: 3 }])
  })

  test('takes what is due within the horizon, and says in how long', async () => {
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

  test('leaves what a job or a worker holds', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [withJob] = await publish(database, tenantId, { heldForMs: 60_000 })
    const [inFlight] = await publish(database, tenantId)
    const leaseId = await claim(database, inFlight!)
    expect(await takeIds()).toEqual([])
    expect(await findPending(database, withJob!)).toMatchObject({ lease_id: null })
    expect(await findPending(database, inFlight!)).toMatchObject({ lease_id: leaseId })
  })

  test('takes back what a worker held that died', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await claim(database, deliveryId!)
    await lapseHold(database, deliveryId!)
    expect((await take()).attempts).toMatchObject([{ deliveryId, number: 1 }])
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
  test('takes those that have been due longest, up to the limit in progress; the others wait until these end', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await makeBacklog(tenantId, 7)
    expect(await takeIds({ perEndpoint: both(3) })).toEqual(ids.slice(0, 3).toSorted())
    // Held, in progress, or waiting for a slot: it keeps its slot.
    const leaseId = (await claim(database, ids[0]!))!
    await releaseHolds(database, [ids[1]!])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([ids[1]])
    expect(await take({ perEndpoint: both(3) })).toMatchObject({ attempts: [] })
    await finishAttempts(database, [buildFinished({ deliveryId: ids[0]!, leaseId })])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([ids[3]])
    // A retry leaves its place to the next until it is due.
    await failAttempt(database, ids[1]!, { delayMs: 60_000 })
    await succeed(database, [ids[2]!])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual(ids.slice(4, 6).toSorted())
    await succeed(database, ids.slice(3, 6))
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([ids[6]])
  })

  test('stays the same while it is under way, also of a thousand that were published at once', async () => {
    const { tenantId } = await makeSubscriber(database)
    const events = Array.from({ length: 1_000 }, () => buildEvent(tenantId))
    const { deliveries } = await publishEvents(database, events, undefined)
    expect(deliveries).toHaveLength(1_000)
    const ids = await takeIds({ perEndpoint: both(25) })
    expect(ids).toHaveLength(25)
    for (const deliveryId of ids) expect(await claim(database, deliveryId)).toBeDefined()
    expect(await takeIds({ perEndpoint: both(25) })).toEqual([])
    await database.pool.query('VACUUM pending_deliveries')
    expect(await takeIds({ perEndpoint: both(25) })).toEqual([])
  })

  test('is what publishing at once gave the first jobs of, in their order', async () => {
    const { tenantId } = await makeSubscriber(database)
    const events = Array.from({ length: 300 }, () => buildEvent(tenantId))
    const firstJobs = heldFor(60_000, { perTenantMax: 100 })
    const { deliveries } = await publishEvents(database, events, firstJobs)
    const withJobs = deliveries.filter(({ held }) => held).map(({ deliveryId }) => deliveryId)
    expect(withJobs).toHaveLength(100)
    for (const deliveryId of withJobs.slice(0, 25)) await claim(database, deliveryId)
    await releaseHolds(database, withJobs.slice(25))
    expect(await takeIds({ perEndpoint: both(25) })).toEqual([])
    expect(await takeIds({ perEndpoint: both(26) })).toEqual([withJobs[25]])
  })

  test('counts what publishing left to jobs', async () => {
    const { tenantId } = await makeSubscriber(database)
    const held = await publish(database, tenantId, { count: 2, heldForMs: 60_000 })
    const free = await publish(database, tenantId, { count: 2 })
    expect(await takeIds({ perEndpoint: both(2) })).toEqual([])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([free[0]])
    await succeed(database, held)
    expect(await takeIds({ perEndpoint: both(2) })).toEqual([free[1]])
  })

  test('names the endpoints that have reached their limit, and how long their oldest delivery has been due', async () => {
    const [full, short] = [await makeSubscriber(database), await makeSubscriber(database)]
    const disabled = await makeSubscriber(database, { enabled: false })
    await makeBacklog(full.tenantId, 3)
    await makeBacklog(short.tenantId, 2)
    await makeBacklog(disabled.tenantId, 30)
    for (const isFirst of [true, false]) {
      const work = await take({ perEndpoint: both(3) })
      expect(work.attempts).toHaveLength(isFirst ? 5 : 0)
      expect([...work.backlogged]).toEqual([full.endpointId])
      expect(work.oldestDueMs).toBeGreaterThanOrEqual(3_000)
      expect(work.oldestDueMs).toBeLessThan(15_000)
    }
    const ofShort = await take({ perEndpoint: both(2) }, [short.endpointId])
    expect([...ofShort.backlogged]).toEqual([short.endpointId])
    await database.pool.query('DELETE FROM pending_deliveries')
    expect(await take()).toMatchObject({ attempts: [], backlogged: new Set(), oldestDueMs: 0 })
  })

  test('is no backlog if it is not due yet', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 3 })
    for (const id of ids) await failAttempt(database, id, { delayMs: 60_000 })
    const work = await take({ horizonMs: 120_000, perEndpoint: both(2) })
    expect(work).toMatchObject({ backlogged: new Set(), oldestDueMs: 0 })
    expect(work.attempts).toHaveLength(2)
  })

  test('can be limited to some endpoints, and takes none of a closed endpoint', async () => {
    const subscribers = []
    for (const enabled of [true, true, false, true]) {
      subscribers.push(await makeSubscriber(database, { enabled }))
    }
    const ids = []
    for (const { tenantId } of subscribers) ids.push(...(await publish(database, tenantId)))
    await removeEndpoint(database, subscribers[3]!.endpointId)
    const asked = subscribers.slice(1).map(({ endpointId }) => endpointId)
    expect(await takeIds({}, [])).toEqual([])
    expect(await takeIds({}, asked)).toEqual([ids[1]])
    expect(await takeIds()).toEqual([ids[0]])
  })

  test('does not lessen what is taken of others: a long backlog keeps no other endpoint waiting', async () => {
    const busy = await makeSubscriber(database)
    await publish(database, busy.tenantId, { count: 30 })
    const others = []
    for (let index = 0; index < 3; index++) {
      const { tenantId } = await makeSubscriber(database)
      others.push(...(await publish(database, tenantId)))
    }
    const due = await takeIds({ perEndpoint: both(4) })
    expect(due).toHaveLength(4 + 3)
    expect(due).toEqual(expect.arrayContaining(others))
  })

  test('together is at most so much', async () => {
    const { tenantId } = await makeSubscriber(database)
    for (let index = 0; index < 4; index++) await makeEndpoint(database, tenantId)
    await publish(database, tenantId, { count: 2 })
    expect(await takeIds({ max: both(0) })).toEqual([])
    expect(await takeIds({ max: both(3) })).toHaveLength(3)
    expect(await takeIds()).toHaveLength(10 - 3)
  })
})

describe('organizations take turns', () => {
  test('of what one has thousands due, another has its one in the first batch', async () => {
    const [busy, quiet] = [await makeSubscriber(database), await makeSubscriber(database)]
    const template = await publish(database, busy.tenantId)
    const [one] = await publish(database, quiet.tenantId)
    await database.pool.query(
      `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
       SELECT uuid_v7(), tenant_id, endpoint_id, event_ref, due_at - i * interval '1 ms', held_until
       FROM pending_deliveries, generate_series(1, 3000) i WHERE delivery_id = $1`,
      [template[0]],
    )
    const perEndpoint = both(10_000)
    const { attempts } = await take({ perEndpoint, max: both(10) })
    expect(attempts).toHaveLength(10)
    expect(attempts.slice(0, 2).map(({ deliveryId }) => deliveryId)).toContain(one)
    const next = await take({ perEndpoint, max: both(10) })
    expect(new Set(next.attempts.map(({ endpointId }) => endpointId))).toEqual(
      new Set([busy.endpointId]),
    )
  })

  test('also if one has many endpoints', async () => {
    const busy = await makeSubscriber(database)
    for (let index = 0; index < 8; index++) await makeEndpoint(database, busy.tenantId)
    await publish(database, busy.tenantId, { count: 5 })
    const quiet = await makeSubscriber(database)
    const few = await publish(database, quiet.tenantId, { count: 2 })
    const taken = await takeIds({ max: both(4) })
    expect(taken).toHaveLength(4)
    expect(taken).toEqual(expect.arrayContaining(few))
  })
})

describe('an endpoint that lately ran out of time', () => {
  test('is in the slow lane, whose bounds are its own', async () => {
    const [slow, normal] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [first] = await publish(database, slow.tenantId)
    await timeOut(database, first!)
    await makeBacklog(slow.tenantId, 5)
    await makeBacklog(normal.tenantId, 5)
    const perEndpoint = { normal: 4, slow: 2 }
    const lanesOf = async (max: { normal: number; slow: number }) =>
      (await take({ perEndpoint, max })).attempts.map(({ lane, endpointId }) => {
        expect(endpointId).toBe((lane === 'slow' ? slow : normal).endpointId)
        return lane
      })
    expect(await lanesOf({ normal: 0, slow: 1 })).toEqual(['slow'])
    expect(await lanesOf({ normal: 1, slow: 0 })).toEqual(['normal'])
    const rest = await lanesOf({ normal: 100, slow: 100 })
    expect(rest.toSorted()).toEqual(['normal', 'normal', 'normal', 'slow'])
    expect(await lanesOf({ normal: 100, slow: 100 })).toEqual([])
    const { backlogged } = await take({ perEndpoint })
    expect([...backlogged].toSorted()).toEqual([slow.endpointId, normal.endpointId].toSorted())
  })

  test('is in it for its time, and another failure leaves no endpoint there', async () => {
    const [slow, failing] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [first] = await publish(database, slow.tenantId)
    await timeOut(database, first!)
    const [other] = await publish(database, failing.tenantId)
    await failAttempt(database, other!)
    const slowForMs = async ({ endpointId }: { endpointId: string }) => {
      const { rows } = await database.pool.query<{ ms: number | null }>(
        `SELECT (extract(epoch FROM slow_until - now()) * 1000)::float8 AS ms
         FROM webhook_endpoint_health WHERE endpoint_id = $1`,
        [endpointId],
      )
      return rows[0]!.ms
    }
    expect(await slowForMs(failing)).toBeNull()
    expect(await slowForMs(slow)).toBeGreaterThan(slowLaneMs - 10_000)
    expect(await slowForMs(slow)).toBeLessThanOrEqual(slowLaneMs)
    const [second] = await publish(database, slow.tenantId)
    await succeed(database, [second!])
    expect(await slowForMs(slow)).toBeGreaterThan(slowLaneMs - 10_000)

    await database.pool.query(
      `UPDATE webhook_endpoint_health SET slow_until = now() + interval '1 second' WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    const [third] = await publish(database, slow.tenantId)
    await timeOut(database, third!)
    expect(await slowForMs(slow)).toBeGreaterThan(slowLaneMs - 10_000)
    await database.pool.query(
      `UPDATE webhook_endpoint_health SET slow_until = now() - interval '1 ms' WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    await publish(database, slow.tenantId)
    const { attempts } = await take({}, [slow.endpointId])
    expect(attempts.map(({ lane }) => lane)).toEqual(['normal'])
  })
})

describe('endpoints that take no deliveries', () => {
  test('disabled: nothing is taken until it is enabled', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database, { enabled: false })
    const ids = await publish(database, tenantId, { count: 2 })
    expect(await takeIds()).toEqual([])
    await setEnabled(database, endpointId, true)
    expect(await takeIds()).toEqual(ids.toSorted())
  })

  test('deleted: nothing is taken', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId)
    await removeEndpoint(database, endpointId)
    expect(await takeIds()).toEqual([])
  })

  test('take nothing of the bounds', async () => {
    const { tenantId } = await makeSubscriber(database, { enabled: false })
    await publish(database, tenantId, { count: 5 })
    const open = await makeSubscriber(database)
    const ids = await publish(database, open.tenantId, { count: 2 })
    expect(await takeIds({ max: both(2) })).toEqual(ids.toSorted())
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
        Array.from({ length: 10 }, () => takeIds({ perEndpoint: both(3) })),
      )
      taken.push(...rounds.flat())
      if (rounds.flat().length === 0) break
      await succeed(database, rounds.flat())
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
      // A delivery taken first can be claimed by its job. A delivery claimed first is not taken.
      expect(row!.lease_id ?? undefined).toBe(leases[index])
      expect(leases[index] !== undefined || due.includes(deliveryId)).toBe(true)
    }
  })
})
