import {
  finishAttempts,
  makePartitions,
  redeliver,
  releaseHolds,
  restoreWakeups,
  takeDueAttempts,
  type DueAttempt,
  type DueLimits,
  type DueWork,
  type FinishedAttempt,
} from '@hosting/postgres'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { until } from '../../../../test/support/until.ts'
import { useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  failAttempt,
  lapseHold,
  letWakeupsCome,
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  publish,
  setEnabled,
  succeed,
} from '../support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})
beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
  await database.pool.query('DELETE FROM endpoint_wakeups')
})

const both = (number: number) => ({ normal: number, slow: number })

/** A sweep as the relay makes it: only of the endpoints whose time has come. */
const sweep = (options: Partial<DueLimits> = {}): Promise<DueWork> =>
  takeDueAttempts(database, {
    horizonMs: 1_000,
    holdMs: 15_000,
    perEndpoint: both(25),
    max: both(200),
    ...options,
  })

const idsOf = ({ attempts }: DueWork) => attempts.map(({ deliveryId }) => deliveryId).toSorted()

async function wakeups(endpointId: string) {
  const { rows } = await database.pool.query<{ in_ms: number; is_full: boolean; slow: boolean }>(
    `SELECT (extract(epoch FROM at - now()) * 1000)::float8 AS in_ms, is_full, slow FROM endpoint_wakeups
     WHERE endpoint_id = $1 ORDER BY at`,
    [endpointId],
  )
  return rows
}

describe('a wake-up', () => {
  test('comes with what is published, at once or when the hold of its job ends', async () => {
    const [free, held] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [id] = await publish(database, free.tenantId)
    await publish(database, held.tenantId, { heldForMs: 15_000 })
    const [ofHeld, ...more] = await wakeups(held.endpointId)
    expect(more).toEqual([])
    expect(ofHeld!.in_ms).toBeGreaterThan(10_000)
    expect(ofHeld!.in_ms).toBeLessThanOrEqual(15_000)
    expect(idsOf(await sweep())).toEqual([id])
  })

  test('is shared by what is published within seconds and left to jobs', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId, { count: 20, heldForMs: 15_000 })
    expect(await wakeups(endpointId)).toHaveLength(1)
  })

  test('comes with a retry, a second before it is due', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [id] = await publish(database, tenantId, { heldForMs: 15_000 })
    await database.pool.query('DELETE FROM endpoint_wakeups')
    await failAttempt(database, id!, { delayMs: 60_000 })
    const [wakeup] = await wakeups(endpointId)
    expect(wakeup!.in_ms).toBeGreaterThan(50_000)
    expect(wakeup!.in_ms).toBeLessThanOrEqual(59_000)
  })

  test('comes with the enabling of an endpoint; a disabled one is not looked at', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database, { enabled: false })
    const ids = await publish(database, tenantId, { count: 3 })
    await letWakeupsCome(database)
    expect(idsOf(await sweep())).toEqual([])
    expect(await wakeups(endpointId)).toEqual([])
    await setEnabled(database, endpointId, true)
    expect(idsOf(await sweep())).toEqual(ids.toSorted())
  })

  test('is gone with the last delivery, and otherwise says when the next look is due', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [first, second] = await publish(database, tenantId, { count: 2 })
    await sweep()
    const [untilHeld] = await wakeups(endpointId)
    expect(untilHeld!.in_ms).toBeGreaterThan(10_000)
    await failAttempt(database, first!, { delayMs: 300_000 })
    await succeed(database, [second!])
    await letWakeupsCome(database)
    await sweep()
    const [untilDue] = await wakeups(endpointId)
    expect(untilDue!.in_ms).toBeGreaterThan(250_000)
    expect(untilDue!.in_ms).toBeLessThanOrEqual(299_000)
    await database.pool.query('DELETE FROM pending_deliveries')
    await letWakeupsCome(database)
    await sweep()
    expect(await wakeups(endpointId)).toEqual([])
  })

  test('follows soon while all places are in use, and the endpoint stays known as backlogged meanwhile', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const other = await makeSubscriber(database)
    await publish(database, tenantId, { count: 4 })
    expect(idsOf(await sweep({ perEndpoint: both(2) }))).toHaveLength(2)
    expect(await wakeups(endpointId)).toMatchObject([{ is_full: true }])
    await publish(database, other.tenantId)
    const next = await sweep({ perEndpoint: both(2) })
    expect(next.attempts).toHaveLength(1)
    expect(next.backlogged).toEqual(new Set([endpointId]))
    await until(
      () => sweep({ perEndpoint: both(4) }),
      ({ attempts }) => attempts.length === 2,
    )
  })

  test('of a lane without room keeps no other lane waiting', async () => {
    const [slow, normal] = [await makeSubscriber(database), await makeSubscriber(database)]
    await database.pool.query(
      `UPDATE webhook_endpoint_health SET slow_until = now() + interval '1 hour' WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    await publish(database, slow.tenantId, { count: 300 })
    const [id] = await publish(database, normal.tenantId)
    expect(idsOf(await sweep({ max: { normal: 10, slow: 0 } }))).toEqual([id])
    // After the slow lane it is the normal lane's again, also while the slow lane has no room.
    await database.pool.query(
      `UPDATE webhook_endpoint_health SET slow_until = now() WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    expect(idsOf(await sweep({ max: { normal: 10, slow: 0 } }))).toHaveLength(10)
  })

  test('of a tenant that is excepted is put off', async () => {
    const [one, other] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [id] = await publish(database, one.tenantId)
    const [otherId] = await publish(database, other.tenantId)
    expect(idsOf(await sweep({ exceptTenantIds: [one.tenantId] }))).toEqual([otherId])
    await letWakeupsCome(database)
    expect(idsOf(await sweep())).toEqual([id])
  })
})

describe('a sweep', () => {
  test('is bounded by what it may take, and the rest follows in turns of the endpoints', async () => {
    const tenants = []
    for (let index = 0; index < 60; index++) tenants.push(await makeSubscriber(database))
    for (const { tenantId } of tenants) await publish(database, tenantId, { count: 2 })
    const counts = new Map<string, number>()
    const greatest: number[] = []
    for (let round = 0; round < 6; round++) {
      const work = await sweep({ max: both(20) })
      expect(work.attempts).toHaveLength(20)
      expect(work.isMore.normal).toBe(round < 5)
      for (const { endpointId } of work.attempts) {
        counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
      }
      greatest.push(Math.max(...counts.values()))
    }
    // Nobody gets a second one before everybody had the first.
    expect(greatest).toEqual([1, 1, 1, 2, 2, 2])
    expect([...counts.values()]).toEqual(Array(60).fill(2))
  })

  test('gives a tenant with many endpoints no larger share than others', async () => {
    const busy = await makeTenant(database)
    for (let index = 0; index < 20; index++) await makeEndpoint(database, busy)
    await publish(database, busy, { count: 20 })
    const others = []
    for (let index = 0; index < 40; index++) others.push(await makeSubscriber(database))
    for (const { tenantId } of others) await publish(database, tenantId, { count: 10 })
    // Each publish added a wake-up; the first look at an endpoint leaves one.
    for (let round = 0; round < 20; round++) await sweep({ max: both(0) })
    const counts = new Map<string, number>()
    for (let round = 0; round < 16; round++) {
      for (const { tenantId } of (await sweep({ max: both(25) })).attempts) {
        counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
      }
    }
    const shares = others.map(({ tenantId }) => counts.get(tenantId) ?? 0)
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(5)
    expect(counts.get(busy)).toBeLessThanOrEqual(2 * Math.max(...shares))
  })

  test('may start where the one before ended', async () => {
    const { tenantId } = await makeSubscriber(database)
    const { lookedTo } = await sweep()
    const ids = await publish(database, tenantId, { count: 2 })
    expect(idsOf(await sweep({ lookFrom: lookedTo }))).toEqual(ids.toSorted())
    const later = new Date(Date.now() + 60_000)
    const [id] = await publish(database, tenantId)
    const none = await sweep({ lookFrom: { normal: later, slow: later } })
    expect(none.attempts).toEqual([])
    expect(none.lookedTo).toEqual({ normal: later, slow: later })
    expect(idsOf(await sweep())).toEqual([id])
  })
})

describe('a transaction that commits during a sweep', () => {
  /** Redelivers in a transaction that stays open while the sweep looks at the endpoint. */
  async function raceSweep(heldForMs: number) {
    const { tenantId } = await makeSubscriber(database)
    const [id] = await publish(database, tenantId)
    const [made] = await database.prisma.$transaction(async (tx) => {
      const ids = await redeliver(tx, [id!], heldForMs)
      expect(idsOf(await sweep())).toEqual([id])
      await succeed(database, [id!])
      await letWakeupsCome(database)
      expect(idsOf(await sweep())).toEqual([])
      return ids
    })
    return made!.deliveryId
  }

  test('is seen by the next', async () => {
    const deliveryId = await raceSweep(0)
    expect(idsOf(await sweep())).toEqual([deliveryId])
  })

  test('is seen when its hold ends', async () => {
    const deliveryId = await raceSweep(15_000)
    await letWakeupsCome(database)
    await lapseHold(database, deliveryId)
    expect(idsOf(await sweep())).toEqual([deliveryId])
  })

  test('loses no delivery: publishers, sweeps and retries at the same time leave nothing behind', async () => {
    const subscribers: Awaited<ReturnType<typeof makeSubscriber>>[] = []
    for (let index = 0; index < 6; index++) subscribers.push(await makeSubscriber(database))
    const published = new Set<string>()
    const delivered = new Set<string>()
    const publishing = new Set(subscribers)
    /** Makes the attempt. Every third first attempt fails. An attempt whose row is locked is released. */
    const attempt = async ({ deliveryId, number }: DueAttempt, index: number): Promise<void> => {
      const leaseId = await claim(database, deliveryId, number)
      if (!leaseId) return releaseHolds(database, [deliveryId])
      const fails = number === 1 && index % 3 === 0
      const nextStep = fails ? { status: 'waiting_retry', delayMs: 0 } : { status: 'succeeded' }
      await finishAttempts(database, [
        buildFinished({
          deliveryId,
          leaseId,
          number,
          nextStep: nextStep as FinishedAttempt['nextStep'],
        }),
      ])
      if (!fails) delivered.add(deliveryId)
    }
    const drain = async (): Promise<void> => {
      for (let idle = 0; publishing.size > 0 || idle < 8;) {
        const { attempts } = await sweep({ perEndpoint: both(3), max: both(10) })
        for (const [index, each] of attempts.entries()) await attempt(each, index)
        idle = attempts.length > 0 ? 0 : idle + 1
        // An endpoint whose places are all in use is looked at again after 250 ms.
        if (attempts.length === 0) await setTimeout(100)
      }
    }
    const publishAll = async (subscriber: (typeof subscribers)[number]): Promise<void> => {
      for (let event = 0; event < 25; event++) {
        for (const id of await publish(database, subscriber.tenantId)) published.add(id)
      }
      publishing.delete(subscriber)
    }
    await Promise.all([...subscribers.map(publishAll), drain(), drain()])
    expect(delivered).toEqual(published)
  }, 60_000)
})

describe('restoreWakeups', () => {
  const walk = (afterEndpointId?: string, endpointsMax = 100) =>
    restoreWakeups(database, { afterEndpointId, endpointsMax, heldMsMax: 15_000 })

  test('adds what the release before did not, in slices', async () => {
    const ids = []
    for (let index = 0; index < 5; index++) {
      const { tenantId } = await makeSubscriber(database)
      ids.push(...(await publish(database, tenantId)))
    }
    await database.pool.query('DELETE FROM endpoint_wakeups')
    expect(idsOf(await sweep())).toEqual([])
    const first = await walk(undefined, 3)
    expect(first.restored).toBe(3)
    const second = await walk(first.lastEndpointId, 3)
    expect(second).toEqual({ lastEndpointId: undefined, restored: 2 })
    expect(await walk(undefined)).toMatchObject({ restored: 0 })
    expect(idsOf(await sweep())).toEqual(ids.toSorted())
  })

  test('ignores what is examined in time: held, due later, disabled', async () => {
    const held = await makeSubscriber(database)
    await publish(database, held.tenantId, { heldForMs: 15_000 })
    const later = await makeSubscriber(database)
    const [id] = await publish(database, later.tenantId)
    await failAttempt(database, id!, { delayMs: 60_000 })
    const claimed = await makeSubscriber(database)
    const [leased] = await publish(database, claimed.tenantId, { heldForMs: 15_000 })
    await claim(database, leased!)
    const disabled = await makeSubscriber(database, { enabled: false })
    await publish(database, disabled.tenantId)
    await database.pool.query('DELETE FROM endpoint_wakeups WHERE endpoint_id = $1', [
      disabled.endpointId,
    ])
    expect(await walk()).toEqual({ lastEndpointId: undefined, restored: 0 })
  })

  test('adds one where the only wake-up comes too late', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [id] = await publish(database, tenantId)
    await database.pool.query(`UPDATE endpoint_wakeups SET at = now() + interval '1 hour'`)
    expect((await walk()).restored).toBe(1)
    expect(idsOf(await sweep())).toEqual([id])
    // What is due before the remembered moment is found too.
    await lapseHold(database, id!)
    await database.pool.query('DELETE FROM endpoint_wakeups')
    await database.pool.query(
      `UPDATE webhook_endpoint_health SET due_from = now() + interval '1 hour' WHERE endpoint_id = $1`,
      [endpointId],
    )
    expect((await walk()).restored).toBe(1)
    expect(idsOf(await sweep())).toEqual([id])
  })
})

describe('while a long transaction keeps all that was removed', () => {
  const passed = 100_000
  const limits = { perEndpoint: both(25), max: both(200) }

  interface TimedSweep extends Pick<Partial<DueLimits>, 'lookFrom'> {
    prepare?(): Promise<unknown>
  }

  /** The fastest sweep of each kind, in ms. They take turns, so that a busy machine slows all kinds alike. */
  async function timeSweeps(kinds: readonly [TimedSweep, TimedSweep]): Promise<[number, number]> {
    const fastest: [number, number] = [Infinity, Infinity]
    for (let round = 0; round < 20; round++) {
      for (const [kind, { prepare, ...from }] of kinds.entries()) {
        await prepare?.()
        const startedMs = performance.now()
        await sweep({ ...limits, ...from })
        fastest[kind] = Math.min(fastest[kind]!, performance.now() - startedMs)
      }
    }
    return fastest
  }

  /** Stores and removes deliveries and wake-ups as a day's work would, within moments. */
  async function passMany(client: pg.Client, deliveryId: string): Promise<void> {
    await client.query(
      `WITH template AS (SELECT * FROM pending_deliveries WHERE delivery_id = $1), made AS (
         INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
         SELECT gen_random_uuid(), tenant_id, endpoint_id, event_ref, now() - interval '2 minutes' - i * interval '1 ms',
           'epoch' FROM template, generate_series(1, $2::int) i
       )
       INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at)
       SELECT endpoint_id, tenant_id, now() - interval '2 minutes' - i * interval '1 ms'
       FROM template, generate_series(1, $2::int) i`,
      [deliveryId, passed],
    )
    await client.query('DELETE FROM endpoint_wakeups')
    await client.query('DELETE FROM pending_deliveries WHERE delivery_id <> $1', [deliveryId])
  }

  test('a sweep of nothing, and of a backlog, passes over none of it twice', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [template] = await publish(database, tenantId)
    // The service's own sessions are limited to seconds.
    const [holder, passer] = [0, 1].map(() => new pg.Client({ connectionString: database.url }))
    await Promise.all([holder!.connect(), passer!.connect()])
    try {
      await holder!.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await holder!.query('SELECT count(*) FROM pending_deliveries')
      await passMany(passer!, template!)
      await letWakeupsCome(database)
      // The first sweep passes over all of it, and remembers that.
      const { lookedTo } = await sweep(limits)
      const [ofNothing, fullLook] = await timeSweeps([{ lookFrom: lookedTo }, {}])
      await publish(database, tenantId, { count: 30 })
      const letCome = () => letWakeupsCome(database)
      const [ofBacklog, fromTheStart] = await timeSweeps([
        { lookFrom: lookedTo, prepare: letCome },
        {
          lookFrom: lookedTo,
          async prepare() {
            await letCome()
            await database.pool.query('UPDATE webhook_endpoint_health SET due_from = NULL')
          },
        },
      ])
      expect(ofNothing).toBeLessThan(fullLook / 2)
      expect(ofBacklog).toBeLessThan(fromTheStart / 2)
    } finally {
      await Promise.all([holder!.end(), passer!.end()])
    }
  }, 120_000)
})
