import { LocalBudgets, rateBucketMs, rateWindowMs } from '@hosting/core/rate-limit'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  client,
  gate,
  openOwnGate,
  untilReady,
  newKeyId,
  about,
  hashOf,
} from './support/own-gate.ts'

describe('the budget of a key', () => {
  test('is not exceeded by two concurrent processes', async () => {
    const id = newKeyId()
    const second = openOwnGate()
    await untilReady(second)
    await gate.report(about(id, 1))
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
    await gate.report(about(id, 2))
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
    await gate.report(about(id, 1, { limit: 5, charge: true }))
    await gate.invalidate([{ keyId: id, version: 2 }])
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
          await gate.report(about(id, 1))
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
    await gate.report(about(id, 1))
    await client.hdel(await hashOf(id), ...Array.from({ length: 13 }, (_, slot) => `b${slot}`))
    await countIn(id, (await redisNowMs()) + 3_600_000, 600)
    const { budget } = await gate.check(about(id, 1, { limit: 10, charge: true }))
    expect(budget).toMatchObject({ admitted: true, remaining: 9 })
  })

  test('counts in the near future still count, and a wait lasts from 1 ms to 60 s', async () => {
    const id = newKeyId()
    await gate.report(about(id, 1))
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
