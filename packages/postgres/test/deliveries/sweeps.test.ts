import { sessionConfigOf } from '@hosting/postgres/database'
import type { DueAttempt, FinishedAttempt } from '@hosting/core/webhooks'
import {
  deliverEvents,
  finishAttempts,
  redeliver,
  postponeAttempts,
  type DueLimits,
} from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import {
  buildFinished,
  claim,
  lapseHold,
  letWakeupsCome,
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  publish,
  succeed,
} from '../support/fixtures.ts'
import { database, both, sweep, idsOf } from '../support/wakeups.ts'

describe('a sweep', () => {
  test('takes at most its limit, and the next sweeps take the rest from the endpoints in turn', async () => {
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

  test('may start where the previous sweep ended', async () => {
    const { tenantId } = await makeSubscriber(database)
    const { nextWakeupsFrom } = await sweep()
    const ids = await publish(database, tenantId, { count: 2 })
    expect(idsOf(await sweep({ wakeupsFrom: nextWakeupsFrom }))).toEqual(ids.toSorted())
    const later = new Date(Date.now() + 60_000)
    const [id] = await publish(database, tenantId)
    const none = await sweep({ wakeupsFrom: { normal: later, slow: later } })
    expect(none.attempts).toEqual([])
    expect(none.nextWakeupsFrom).toEqual({ normal: later, slow: later })
    expect(idsOf(await sweep())).toEqual([id])
  })
})

test('a sweep that starts where the previous one ended finds the events of a backfill', async () => {
  const { tenantId } = await makeSubscriber(database)
  const [published] = await publish(database, tenantId)
  const { nextWakeupsFrom } = await sweep()
  const endpointId = await makeEndpoint(database, tenantId)
  const { rows } = await database.pool.query<{ event_ref: string }>(
    'SELECT event_ref FROM all_deliveries WHERE id = $1',
    [published],
  )
  const [made] = await database.prisma.$transaction((tx) =>
    deliverEvents(tx, endpointId, [rows[0]!.event_ref]),
  )
  expect(idsOf(await sweep({ wakeupsFrom: nextWakeupsFrom }))).toEqual([made!.deliveryId])
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

  test('is found by the next sweep', async () => {
    const deliveryId = await raceSweep(0)
    expect(idsOf(await sweep())).toEqual([deliveryId])
  })

  test('is found when its hold ends', async () => {
    const deliveryId = await raceSweep(15_000)
    await letWakeupsCome(database)
    await lapseHold(database, deliveryId)
    expect(idsOf(await sweep())).toEqual([deliveryId])
  })

  test('loses no delivery: concurrent publishes, sweeps and retries leave nothing behind', async () => {
    const subscribers: Awaited<ReturnType<typeof makeSubscriber>>[] = []
    for (let index = 0; index < 6; index++) subscribers.push(await makeSubscriber(database))
    const published = new Set<string>()
    const delivered = new Set<string>()
    const publishing = new Set(subscribers)
    /** Makes the attempt. Every third first attempt fails. An attempt whose row is locked is postponed. */
    const attempt = async (due: DueAttempt, index: number): Promise<void> => {
      const { deliveryId, number } = due
      const leaseId = await claim(database, deliveryId, number)
      if (!leaseId) return postponeAttempts(database, [{ attempt: due, forMs: 0 }])
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
        // An endpoint whose slots are all in use is looked at again after 250 ms.
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
  })
})

describe('while a long transaction keeps all removed rows', () => {
  const passed = 100_000
  const limits = { perEndpoint: both(25), max: both(200) }

  interface CountedSweep extends Pick<Partial<DueLimits>, 'wakeupsFrom'> {
    prepare?(): Promise<unknown>
  }

  /** The blocks that PostgreSQL read of the two tables and their indexes, by all sessions so far. */
  async function countBlocks(): Promise<number> {
    // A session reports its counts with a delay, or when it is told to.
    await database.hotPool!.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await database.pool.query<{ blocks: string }>(
      `SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read) AS blocks
       FROM pg_statio_user_tables WHERE relname IN ('pending_deliveries', 'endpoint_wakeups')`,
    )
    return Number(rows[0]!.blocks)
  }

  /** A vacuum reads the same tables, and its blocks would be counted. */
  async function setAutovacuum(owner: pg.Client, isEnabled: boolean): Promise<void> {
    for (const table of ['pending_deliveries', 'endpoint_wakeups']) {
      const change = isEnabled ? 'RESET (autovacuum_enabled)' : 'SET (autovacuum_enabled = false)'
      await owner.query(`ALTER TABLE ${table} ${change}`)
    }
  }

  /** The blocks that a sweep reads: the fewest of three, because other sessions report late. */
  async function countBlocksOf({ prepare, ...from }: CountedSweep): Promise<number> {
    const counts: number[] = []
    for (let round = 0; round < 3; round++) {
      await prepare?.()
      const before = await countBlocks()
      await sweep({ ...limits, ...from })
      counts.push((await countBlocks()) - before)
    }
    return Math.min(...counts)
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

  test('sweeps skip the removed rows once, with or without a backlog', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [template] = await publish(database, tenantId)
    // The service's own sessions are limited to seconds.
    const [holder, passer] = [0, 1].map(() => new pg.Client(sessionConfigOf(database.url)))
    await Promise.all([holder!.connect(), passer!.connect()])
    try {
      await setAutovacuum(passer!, false)
      await holder!.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await holder!.query('SELECT count(*) FROM pending_deliveries')
      // The sessions keep plans that were made for nearly empty tables.
      await passer!.query('VACUUM pending_deliveries, endpoint_wakeups')
      await sweep(limits)
      await passMany(passer!, template!)
      await letWakeupsCome(database)
      // The first sweep passes over all of it, and remembers that.
      const { nextWakeupsFrom } = await sweep(limits)
      const ofNothing = await countBlocksOf({ wakeupsFrom: nextWakeupsFrom })
      const fullLook = await countBlocksOf({})
      expect(ofNothing).toBeLessThan(fullLook / 10)
      await publish(database, tenantId, { count: 30 })
      const letCome = () => letWakeupsCome(database)
      const ofBacklog = await countBlocksOf({ wakeupsFrom: nextWakeupsFrom, prepare: letCome })
      const fromTheStart = await countBlocksOf({
        wakeupsFrom: nextWakeupsFrom,
        async prepare() {
          await letCome()
          await database.pool.query('UPDATE webhook_endpoint_schedules SET due_from = NULL')
        },
      })
      expect(ofBacklog).toBeLessThan(fromTheStart / 10)
    } finally {
      await setAutovacuum(passer!, true)
      await Promise.all([holder!.end(), passer!.end()])
    }
  }, 120_000)
})
