import {
  claimAttempts,
  listDeliveries,
  takeDueAttempts,
  type DueLimits,
} from '@hosting/postgres/deliveries'
import { publishEvents, updateEndpoint } from '@hosting/postgres/webhooks'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { buildTaken } from '../../../../test/support/attempts.ts'
import { rollingBack, useDatabase } from '../support/database.ts'
import {
  buildEvent,
  claim,
  failAttempt,
  findPending,
  findRecord,
  heldFor,
  lapseHold,
  letWakeupsCome,
  makeSubscriber,
  publish,
  timeOut,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
  await database.pool.query('DELETE FROM endpoint_wakeups')
})

const setRate = (endpointId: string, rateLimitPerSecond: number | null) =>
  database.prisma.$transaction(async (tx) => {
    await updateEndpoint(tx, endpointId, { rateLimitPerSecond })
  })

async function makeThrottled(rate: number) {
  const subscriber = await makeSubscriber(database)
  await setRate(subscriber.endpointId, rate)
  return subscriber
}

/** Claims attempts in one statement, and returns when each may start at the latest. */
async function claimAll(deliveryIds: readonly string[], number = 1): Promise<Date[]> {
  const claims = deliveryIds.map((deliveryId) => buildTaken({ deliveryId, number }))
  const claimed = await claimAttempts(database, claims, 60_000)
  return claimed.map(({ startBy }) => startBy!)
}

async function take(options: Partial<DueLimits> = {}, endpointIds?: readonly string[]) {
  await letWakeupsCome(database)
  const both = (number: number) => ({ normal: number, slow: number })
  return takeDueAttempts(
    database,
    { horizonMs: 1_000, holdMs: 10_000, perEndpoint: both(25), max: both(1_000), ...options },
    endpointIds,
  )
}

/** The differences between times that follow each other, in ms. */
const stepsOf = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => time - times[index]!)

const expectBetween = (time: number, [from, to]: readonly [number, number]): void =>
  expect(time >= from && time <= to ? [] : [from, time, to]).toEqual([])

/** Requires that no span of t seconds holds more than `burst` + rate × t times. */
function expectAtMost(times: readonly Date[], { rate, burst }: { rate: number; burst: number }) {
  const sorted = times.map(Number).toSorted((a, b) => a - b)
  for (const [from, first] of sorted.entries()) {
    for (const [to, last] of sorted.entries()) {
      if (to <= from) continue
      const allowed = burst + (rate * (last - first)) / 1_000
      // Times are rounded to milliseconds.
      expect(to - from + 1).toBeLessThanOrEqual(allowed + rate / 1_000)
    }
  }
}

describe('a claim of a throttled endpoint', () => {
  test('admits what the rate permits, and uses no attempt of the other deliveries', async () => {
    const { tenantId } = await makeThrottled(5)
    const ids = await publish(database, tenantId, { count: 20 })
    expect(await claimAll(ids)).toHaveLength(2)
    const rows = await Promise.all(ids.map((id) => findPending(database, id)))
    const waiting = rows.filter((row) => row!.lease_id === null)
    expect(waiting).toHaveLength(18)
    expect(waiting.every((row) => row!.attempts_made === 0 && row!.held_for_ms < 0)).toBe(true)
    expect(await findRecord(database, ids.at(-1)!)).toMatchObject({ outcome: null, attempts: [] })
    expect((await take()).attempts.length).toBeGreaterThan(0)
  })

  test('returns the latest start time of the attempt, or none without a limit', async () => {
    const { tenantId } = await makeThrottled(5)
    const [deliveryId] = await publish(database, tenantId)
    const before = Date.now()
    const [startBy] = await claimAll([deliveryId!])
    expectBetween(startBy!.getTime(), [before, Date.now() + 250])
    const other = await makeSubscriber(database)
    expect(await claimAll(await publish(database, other.tenantId))).toEqual([null])
  })

  test.each([
    { rate: 50, burst: 1 + 50 * 0.25 },
    { rate: 1_000, burst: 1 + 1_000 * 0.25 },
  ])('by concurrent processes admits $rate per second in total', async ({ rate, burst }) => {
    const { tenantId } = await makeThrottled(rate)
    const ids = await publish(database, tenantId, { count: 400 })
    const started: Date[] = []
    const enough = Math.min(400, rate) / 2
    const endAt = performance.now() + 1_500
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while ((performance.now() < endAt || started.length <= enough) && ids.length > 0) {
          const mine = ids.splice(0, 3)
          const times = await claimAll(mine)
          started.push(...times)
          const left = await Promise.all(mine.map((id) => findPending(database, id)))
          ids.push(...mine.filter((_, index) => left[index]!.lease_id === null))
        }
      }),
    )
    expectAtMost(started, { rate, burst })
    expect(started.length).toBeGreaterThan(enough)
  })

  test('at one per second leaves more than a second between two attempts', async () => {
    const { tenantId } = await makeThrottled(1)
    const ids = await publish(database, tenantId, { count: 3 })
    const started: Date[] = []
    while (started.length < 3) {
      const [next] = await claimAll([ids[started.length]!])
      if (next) started.push(next)
      else await setTimeout(5)
    }
    const steps = stepsOf(started.map(Number))
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(1_150)
  })

  test('does not wait for processes that handle other endpoints', async () => {
    const { tenantId, endpointId } = await makeThrottled(5)
    const other = await makeThrottled(5)
    const [[mine], [others]] = [
      await publish(database, tenantId),
      await publish(database, other.tenantId),
    ]
    await rollingBack(database, async (client) => {
      await client.query('SELECT 1 FROM webhook_throttles WHERE endpoint_id = $1 FOR UPDATE', [
        endpointId,
      ])
      expect(await claimAll([others!])).toHaveLength(1)
    })
    expect(await claimAll([mine!])).toHaveLength(1)
  })
})

describe('the relay', () => {
  test('creates the jobs of a throttled endpoint evenly, for the next second only', async () => {
    const { tenantId, endpointId } = await makeThrottled(5)
    await publish(database, tenantId, { count: 30 })
    const { attempts, backlogged, oldestDueMs } = await take()
    const delays = attempts.map(({ delayMs }) => delayMs)
    expect([5, 6]).toContain(delays.length)
    expect(Math.max(...delays)).toBeLessThanOrEqual(1_001)
    expect(stepsOf(delays).every((step) => Math.abs(step - 200) < 1)).toBe(true)
    expect(backlogged.has(endpointId)).toBe(true)
    expect(oldestDueMs).toBe(0)
    expect((await take()).attempts.length).toBeLessThanOrEqual(1)
  })

  test('continues after the last job that it created', async () => {
    const { tenantId, endpointId } = await makeThrottled(20)
    await publish(database, tenantId, { count: 40 })
    // The delay counts from within the statement, so a start is known to within its duration.
    const starts: { from: number; to: number }[] = []
    while (starts.length < 30) {
      const from = Date.now()
      const { attempts } = await take({ perEndpoint: { normal: 1_000, slow: 1_000 } }, [endpointId])
      const to = Date.now()
      starts.push(...attempts.map(({ delayMs }) => ({ from: from + delayMs, to: to + delayMs })))
    }
    expect(starts.slice(1).every(({ to }, at) => to - starts[at]!.from > 30)).toBe(true)
    expect(starts.slice(1).every(({ from }, at) => from - starts[at]!.to < 70)).toBe(true)
    expect(starts.at(-1)!.to - starts[0]!.from).toBeGreaterThan(1_300)
  })

  test('takes no more deliveries than the endpoint has slots', async () => {
    const { tenantId } = await makeThrottled(1_000)
    await publish(database, tenantId, { count: 40 })
    expect((await take()).attempts).toHaveLength(25)
    expect((await take()).attempts).toEqual([])
  })

  test('spreads retries that are due at the same time', async () => {
    const { tenantId } = await makeThrottled(1_000)
    const ids = await publish(database, tenantId, { count: 4 })
    for (const id of ids) await failAttempt(database, id, { delayMs: 1_500 })
    await database.pool.query(
      `UPDATE webhook_endpoints SET rate_limit_per_second = 10 WHERE tenant_id = $1`,
      [tenantId],
    )
    const { attempts } = await take({ horizonMs: 3_000 })
    const steps = stepsOf(attempts.map(({ delayMs }) => delayMs))
    expect(attempts.map(({ number }) => number)).toEqual([2, 2, 2, 2])
    expect(steps.every((step) => step >= 99)).toBe(true)
    expect(attempts[0]!.delayMs).toBeGreaterThan(500)
  })

  test('throttles an endpoint in the slow lane too', async () => {
    const { tenantId } = await makeThrottled(10)
    const [first, ...others] = await publish(database, tenantId, { count: 10 })
    await timeOut(database, first!)
    const { attempts } = await take({ perEndpoint: { normal: 25, slow: 5 } })
    expect(attempts.map(({ lane }) => lane)).toEqual(Array(5).fill('slow'))
    expect(stepsOf(attempts.map(({ delayMs }) => delayMs)).every((step) => step > 99)).toBe(true)
    expect(others).toHaveLength(9)
  })

  test('takes a delivery again if its job was lost', async () => {
    const { tenantId } = await makeThrottled(1)
    const [deliveryId] = await publish(database, tenantId)
    expect((await take()).attempts).toHaveLength(1)
    await lapseHold(database, deliveryId!)
    expect((await take()).attempts).toMatchObject([{ deliveryId }])
  })

  test('takes everything after the limit is removed', async () => {
    const { tenantId, endpointId } = await makeThrottled(1)
    await publish(database, tenantId, { count: 20 })
    const { attempts } = await take()
    await setRate(endpointId, null)
    expect((await take()).attempts.length + attempts.length).toBe(20)
  })

  test('schedules the first attempt of a delivery that must wait', async () => {
    const { tenantId } = await makeThrottled(1)
    const hold = async () =>
      (await publishEvents(database, [buildEvent(tenantId)], heldFor(10_000))).deliveries[0]!
    const first = await hold()
    expect(first.held).toBe(true)
    await claim(database, first.deliveryId)
    expect((await hold()).held).toBe(false)
  })
})

describe('next_attempt_at of deliveries that wait', () => {
  const nextAttempts = async (tenantId: string) => {
    const { rows } = await listDeliveries(
      database,
      { tenantId },
      { beforeId: undefined, take: 100 },
    )
    return rows
      .toReversed()
      .map(({ status, nextAttemptAt }) => ({ status, at: nextAttemptAt!.getTime() }))
  }

  test('is the expected start of each', async () => {
    const { tenantId } = await makeThrottled(5)
    await publish(database, tenantId, { count: 12 })
    const before = Date.now()
    const found = await nextAttempts(tenantId)
    expect(found.every(({ status }) => status === 'queued')).toBe(true)
    expect(stepsOf(found.map(({ at }) => at)).every((step) => Math.abs(step - 200) <= 1)).toBe(true)
    expectBetween(found[0]!.at, [before - 1_000, Date.now() + 1_000])
  })

  test('matches the jobs that the relay created', async () => {
    const { tenantId } = await makeThrottled(5)
    await publish(database, tenantId, { count: 8 })
    const before = Date.now()
    const { attempts } = await take()
    const found = await nextAttempts(tenantId)
    for (const [index, { delayMs }] of attempts.entries()) {
      expectBetween(found[index]!.at, [before + delayMs - 100, Date.now() + delayMs + 100])
    }
  })

  test('is never before a retry is due', async () => {
    const { tenantId } = await makeThrottled(1_000)
    const [retried] = await publish(database, tenantId, { count: 3 })
    await failAttempt(database, retried!, { delayMs: 60_000 })
    const [retry, ...queued] = await nextAttempts(tenantId)
    expect(retry!.status).toBe('waiting_retry')
    expect(retry!.at - Date.now()).toBeGreaterThan(55_000)
    expect(queued.every(({ at }) => at - Date.now() < 1_000)).toBe(true)
  })
})
