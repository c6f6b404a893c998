import { createKeyToken, LocalBudgets, rateBucketMs, rateWindowMs } from '@hosting/core'
import { openGate, type Gate, type GateRequest } from '@hosting/redis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { makeOwnRedis, type OwnRedis } from '../../../test/support/own-redis.ts'
import { until } from '../../../test/support/stack.ts'

let redis: OwnRedis
let client: Redis
let gate: Gate
let losses = 0

/** By default with a timeout that is long enough for a busy machine. */
const openOwnGate = (options: { timeoutMs?: number } = { timeoutMs: 15_000 }): Gate =>
  openGate(
    { nodes: [redis.url], mode: 'single', shards: 1 },
    { onError: () => undefined, onLost: () => (losses += 1), ...options },
  )

const untilReady = (opened: Gate): Promise<boolean> =>
  until(
    () => Promise.resolve(opened.isReady()),
    (isReady) => isReady,
  )

beforeAll(async () => {
  redis = await makeOwnRedis()
  client = new Redis(redis.url).on('error', () => undefined)
  gate = openOwnGate()
  await untilReady(gate)
})
afterAll(async () => {
  gate.close()
  client.disconnect()
  await redis.remove()
})

const newKeyId = (): string => createKeyToken().id

const about = (keyId: string, version: number, members: Partial<GateRequest> = {}) => ({
  keyId,
  version,
  limit: 600,
  charge: false,
  ...members,
})

const isCurrent = async (keyId: string, version: number): Promise<boolean> =>
  (await gate.check(about(keyId, version))).current

const mayKeep = async (keyId: string, version: number): Promise<boolean> =>
  (await gate.tell(about(keyId, version))).keep

/** The name of the hash of a key. */
async function hashOf(keyId: string): Promise<string> {
  const [name] = await client.keys(`*:${keyId}`)
  return name!
}

/** Makes the time of a field expire. */
async function lapse(keyId: string, field: 'du' | 'fu'): Promise<void> {
  await client.hset(await hashOf(keyId), field, Date.now() - 10_000)
}

describe('the version of a key', () => {
  test('is current once it was reported, and no other version is', async () => {
    const id = newKeyId()
    expect(await isCurrent(id, 3)).toBe(false)
    expect(await mayKeep(id, 3)).toBe(true)
    expect(await Promise.all([2, 3, 4].map((version) => isCurrent(id, version)))).toEqual([
      false,
      true,
      false,
    ])
  })

  test('is the greatest that was reported, in any order', async () => {
    const id = newKeyId()
    expect(await mayKeep(id, 5)).toBe(true)
    expect(await mayKeep(id, 4)).toBe(false)
    expect(await isCurrent(id, 5)).toBe(true)
    expect(await mayKeep(id, 6)).toBe(true)
    expect(await isCurrent(id, 5)).toBe(false)
    expect(await isCurrent(id, 6)).toBe(true)
  })

  test('is unknown during a change: no record is current or may be cached', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1))
    await gate.mark([{ keyId: id, version: 2 }])
    for (const version of [1, 2, 3]) {
      expect(await isCurrent(id, version)).toBe(false)
      expect(await mayKeep(id, version)).toBe(false)
    }
  })

  test('is the new one after a change, and a slow reader does not restore the old one', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1))
    await gate.mark([{ keyId: id, version: 2 }])
    await gate.set([{ keyId: id, version: 2 }])
    expect(await isCurrent(id, 2)).toBe(true)
    expect(await mayKeep(id, 1)).toBe(false)
    expect(await isCurrent(id, 1)).toBe(false)
    expect(await isCurrent(id, 2)).toBe(true)
  })

  test('of an unfinished change may be cached when its mark has expired, and no older one may', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1))
    await gate.mark([{ keyId: id, version: 2 }])
    await lapse(id, 'du')
    expect(await isCurrent(id, 1)).toBe(false)
    expect(await mayKeep(id, 1)).toBe(false)
    expect(await isCurrent(id, 1)).toBe(false)
    expect(await mayKeep(id, 2)).toBe(true)
    expect(await isCurrent(id, 2)).toBe(true)
  })

  test('from before a failed change may be cached again when mark and floor have expired', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1))
    await gate.mark([{ keyId: id, version: 2 }])
    await lapse(id, 'du')
    await lapse(id, 'fu')
    expect(await mayKeep(id, 1)).toBe(true)
    expect(await isCurrent(id, 1)).toBe(true)
  })

  test('of a completed change does not remove the mark of a later one', async () => {
    const id = newKeyId()
    await gate.mark([{ keyId: id, version: 2 }])
    await gate.mark([{ keyId: id, version: 3 }])
    await gate.set([{ keyId: id, version: 2 }])
    expect(await mayKeep(id, 2)).toBe(false)
    expect(await isCurrent(id, 2)).toBe(false)
    await gate.set([{ keyId: id, version: 3 }])
    expect(await isCurrent(id, 3)).toBe(true)
  })

  test('does not decrease when an old change is reported late', async () => {
    const id = newKeyId()
    await gate.set([{ keyId: id, version: 5 }])
    await gate.set([{ keyId: id, version: 4 }])
    expect(await isCurrent(id, 5)).toBe(true)
    await lapse(id, 'fu')
    await gate.set([{ keyId: id, version: 4 }])
    expect(await isCurrent(id, 5)).toBe(true)
    expect(await isCurrent(id, 4)).toBe(false)
  })

  test('is lost with the data of Redis, and is unknown until it is reported again', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 7, { charge: true }))
    await client.flushall()
    expect(await isCurrent(id, 7)).toBe(false)
    expect(await mayKeep(id, 7)).toBe(true)
    expect(await isCurrent(id, 7)).toBe(true)
  })

  test('leaves nothing in Redis if it was only checked', async () => {
    const id = newKeyId()
    await gate.check(about(id, 1, { charge: true }))
    expect(await hashOf(id)).toBeUndefined()
  })

  test.each(['tell', 'mark', 'set'] as const)('expires in Redis: %s', async (operation) => {
    const id = newKeyId()
    const question = about(id, 1, { charge: true })
    if (operation === 'tell') await gate.tell(question)
    else await gate[operation]([question])
    expect(await client.pttl(await hashOf(id))).toBeGreaterThan(30_000)
  })
})

describe('round trips', () => {
  test('are shared by all questions of one turn of the event loop', async () => {
    const ids = Array.from({ length: 150 }, newKeyId)
    const before = gate.countRoundTrips()
    await Promise.all(ids.map((id) => gate.tell(about(id, 1))))
    expect(gate.countRoundTrips() - before).toBe(1)
    const results = await Promise.all(ids.map((id) => gate.check(about(id, 1))))
    expect(results.every(({ current }) => current)).toBe(true)
    expect(gate.countRoundTrips() - before).toBe(2)
  })

  test('are several for very many questions, each with its own result', async () => {
    const ids = Array.from({ length: 450 }, newKeyId)
    const before = gate.countRoundTrips()
    await Promise.all(ids.map((id, index) => gate.tell(about(id, index))))
    const results = await Promise.all(
      ids.map((id, index) => gate.check(about(id, index, { limit: index + 1, charge: true }))),
    )
    expect(results.every(({ current }) => current)).toBe(true)
    expect(results.map(({ budget }) => budget.remaining)).toEqual(ids.map((_, index) => index))
    expect(gate.countRoundTrips() - before).toBe(6)
  })

  test('count each request of the same key in one turn', async () => {
    const id = newKeyId()
    const question = about(id, 1, { limit: 5, charge: true })
    const results = await Promise.all(Array.from({ length: 8 }, () => gate.tell(question)))
    expect(results.map(({ budget }) => budget.admitted)).toEqual([
      ...Array<boolean>(5).fill(true),
      ...Array<boolean>(3).fill(false),
    ])
  })
})

describe('a gate while Redis', () => {
  afterEach(() => untilReady(gate))

  test('is unavailable fails every call at once, and reports that changes may have been missed', async () => {
    const before = losses
    await redis.stop()
    await until(
      () => Promise.resolve(gate.isReady()),
      (isReady) => !isReady,
    )
    expect(losses).toBeGreaterThan(before)
    const change = [{ keyId: newKeyId(), version: 1 }]
    const refusals = Promise.allSettled([
      gate.check(about(newKeyId(), 1)),
      gate.tell(about(newKeyId(), 1)),
      gate.mark(change),
      gate.set(change),
    ])
    // At once means before anything else in this process runs.
    const refused = await Promise.race([refusals, setImmediate([])])
    const reason = new Error('Redis is not connected.')
    expect(refused).toEqual(Array.from({ length: 4 }, () => ({ status: 'rejected', reason })))

    await redis.start('kept')
    await untilReady(gate)
    const id = newKeyId()
    expect(await mayKeep(id, 1)).toBe(true)
    expect(await isCurrent(id, 1)).toBe(true)
  })

  test('hangs fails a call within half a second', async () => {
    const impatient = openOwnGate({})
    await untilReady(impatient)
    await redis.hang()
    try {
      const result = impatient.check(about(newKeyId(), 1))
      result.catch(() => undefined)
      // The call has been sent now. Timers fire in order, however busy the machine is.
      await setImmediate()
      await expect(Promise.race([result, setTimeout(500)])).rejects.toThrow('timed out')
    } finally {
      redis.resume()
      impatient.close()
    }
  })

  test('has lost the script sends it again', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1))
    await client.script('FLUSH')
    expect(await Promise.all([isCurrent(id, 1), isCurrent(id, 2)])).toEqual([true, false])
  })

  test('is unavailable can be opened', async () => {
    await redis.stop()
    const opened = openOwnGate()
    await expect(opened.check(about(newKeyId(), 1))).rejects.toThrow('not connected')
    await redis.start('kept')
    await untilReady(opened)
    expect((await opened.tell(about(newKeyId(), 1))).keep).toBe(true)
    opened.close()
  })
})

describe('the budget of a key', () => {
  test('is not exceeded by two concurrent processes', async () => {
    const id = newKeyId()
    const second = openOwnGate()
    await untilReady(second)
    await gate.tell(about(id, 1))
    const question = about(id, 1, { limit: 50, charge: true })
    const results: boolean[] = []
    for (let turn = 0; turn < 10; turn++) {
      const asked = [gate, second].flatMap((asker) =>
        Array.from({ length: 20 }, () => asker.check(question)),
      )
      results.push(...(await Promise.all(asked)).map(({ budget }) => budget.admitted))
    }
    second.close()
    expect(results.filter(Boolean)).toHaveLength(50)
    expect(results.slice(0, 40)).not.toContain(false)
  })

  test('is not charged for an outdated record, a check without charge, or beyond the limit', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 2))
    const look = async () => (await gate.check(about(id, 2, { limit: 3 }))).budget.remaining
    await gate.check(about(id, 1, { charge: true }))
    expect(await look()).toBe(3)
    for (let time = 0; time < 10; time++) await gate.check(about(id, 2, { limit: 3, charge: true }))
    expect(await look()).toBe(0)
    expect((await gate.check(about(id, 2, { limit: 600, charge: false }))).budget.remaining).toBe(
      597,
    )
  })

  test('survives a change: the new version has the remaining budget', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1, { limit: 5, charge: true }))
    await gate.mark([{ keyId: id, version: 2 }])
    await gate.set([{ keyId: id, version: 2 }])
    const { budget } = await gate.check(about(id, 2, { limit: 5, charge: true }))
    expect(budget).toMatchObject({ admitted: true, remaining: 3 })
  })

  test('is the same in Redis and in the process, for any earlier counts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 1, max: 4 })), {
          maxLength: 10,
        }),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        fc.integer({ min: 0, max: rateBucketMs - 1 }),
        async (counted, limit, charge, offsetMs) => {
          const id = newKeyId()
          await gate.tell(about(id, 1))
          const name = await hashOf(id)
          for (let isComparable = false; !isComparable;) {
            const beforeMs = await redisNowMs()
            const bucket = Math.floor(beforeMs / rateBucketMs)
            const local = new LocalBudgets()
            const writes = client.pipeline()
            writes.hdel(name, ...Array.from({ length: 13 }, (_, slot) => `b${slot}`))
            const lastsMs: number[] = []
            // Older first, in the order in which they would have been written.
            for (const [age, count] of mergeByAge(counted)) {
              const number = bucket - age
              const lastMs = Math.min(number * rateBucketMs + offsetMs, beforeMs)
              lastsMs.push(lastMs)
              writes.hset(name, `b${number % 13}`, lastMs * 4_096 + count)
              for (let time = 0; time < count; time++) {
                local.take(id, { limit: 1e9, charge: true, nowMs: lastMs })
              }
            }
            await writes.exec()
            const { budget } = await gate.check(about(id, 1, { limit, charge }))
            const afterMs = await redisNowMs()
            // Only if no bucket began between the two times, and none left the window.
            isComparable =
              Math.floor(afterMs / rateBucketMs) === bucket &&
              lastsMs.every((ms) => ms + rateWindowMs <= beforeMs || ms + rateWindowMs > afterMs)
            if (!isComparable) continue
            const model = local.take(id, { limit, charge, nowMs: beforeMs })
            const { resetMs, ...rest } = budget
            const { resetMs: modelResetMs, ...modelRest } = model
            expect(rest).toEqual(modelRest)
            expect(resetMs).toBeLessThanOrEqual(modelResetMs)
            expect(resetMs).toBeGreaterThanOrEqual(Math.max(0, modelResetMs - (afterMs - beforeMs)))
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('after the clock of Redis went back', () => {
  const countIn = async (id: string, lastMs: number, count: number) => {
    const slot = Math.floor(lastMs / rateBucketMs) % 13
    await client.hset(await hashOf(id), `b${slot}`, lastMs * 4_096 + count)
  }

  test('counts in the far future are dropped', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1))
    await client.hdel(await hashOf(id), ...Array.from({ length: 13 }, (_, slot) => `b${slot}`))
    await countIn(id, (await redisNowMs()) + 3_600_000, 600)
    const { budget } = await gate.check(about(id, 1, { limit: 10, charge: true }))
    expect(budget).toMatchObject({ admitted: true, remaining: 9 })
  })

  test('counts in the near future still count, and a wait lasts from 1 ms to 60 s', async () => {
    const id = newKeyId()
    await gate.tell(about(id, 1))
    await client.hdel(await hashOf(id), ...Array.from({ length: 13 }, (_, slot) => `b${slot}`))
    await countIn(id, (await redisNowMs()) + 3_000, 10)
    const { budget } = await gate.check(about(id, 1, { limit: 10, charge: true }))
    expect(budget.admitted).toBe(false)
    expect(budget.resetMs).toBeGreaterThan(0)
    expect(budget.resetMs).toBeLessThanOrEqual(rateWindowMs)
  })
})

async function redisNowMs(): Promise<number> {
  const [seconds, microseconds] = await client.time()
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
}

/** Counts by age in buckets, oldest first. */
function mergeByAge(counted: readonly (readonly [number, number])[]): [number, number][] {
  const counts = new Map<number, number>()
  for (const [age, count] of counted) counts.set(age, (counts.get(age) ?? 0) + count)
  return [...counts].toSorted(([a], [b]) => b - a)
}

describe('the sliding window', () => {
  const schedule = fc.array(
    fc.record({
      afterMs: fc.oneof(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 6_000 }),
        fc.integer({ min: 0, max: 70_000 }),
        fc.constantFrom(0, 1, 4_999, 5_000, 5_001, 59_999, 60_000, 60_001, 65_000),
      ),
    }),
    { minLength: 1, maxLength: 120 },
  )
  const startMs = fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 })
  const limits = fc.integer({ min: 1, max: 20 })

  test('admits at most the limit in any 60 s, and refuses nobody whom 65 s would admit', () => {
    fc.assert(
      fc.property(schedule, startMs, limits, (requests, start, limit) => {
        const budgets = new LocalBudgets()
        const admitted: number[] = []
        let nowMs = start
        for (const { afterMs } of requests) {
          nowMs += afterMs
          const budget = budgets.take('key', { limit, charge: true, nowMs })
          const lately = (ms: number) => admitted.filter((at) => at > nowMs - ms).length
          if (budget.admitted) admitted.push(nowMs)
          expect(budget.admitted || lately(rateWindowMs + rateBucketMs) >= limit).toBe(true)
          expect(lately(rateWindowMs)).toBeLessThanOrEqual(limit)
          expect(budget.remaining).toBeGreaterThanOrEqual(0)
          expect(budget.remaining).toBeLessThanOrEqual(limit - lately(rateWindowMs))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('admits a caller after the reported wait', () => {
    fc.assert(
      fc.property(schedule, startMs, limits, (requests, start, limit) => {
        const budgets = new LocalBudgets()
        let nowMs = start
        for (const { afterMs } of requests) {
          nowMs += afterMs
          const { admitted, resetMs } = budgets.take('key', { limit, charge: true, nowMs })
          expect(resetMs).toBeGreaterThan(0)
          expect(resetMs).toBeLessThanOrEqual(rateWindowMs)
          if (admitted) continue
          nowMs += resetMs
          expect(budgets.take('key', { limit, charge: true, nowMs }).admitted).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })
})
