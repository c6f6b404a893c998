import { LocalBudgets, rateBucketMs, rateWindowMs } from '@hosting/core/rate-limit'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'

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

  test('admits at most the limit in any 60 s, and refuses no request that a 65 s window would admit', () => {
    fc.assert(
      fc.property(schedule, startMs, limits, (requests, start, limit) => {
        const budgets = new LocalBudgets()
        const admitted: number[] = []
        let nowMs = start
        for (const { afterMs } of requests) {
          nowMs += afterMs
          const budget = budgets.take('key', { limit, charge: true, nowMs })
          const recently = (ms: number) => admitted.filter((at) => at > nowMs - ms).length
          if (budget.admitted) admitted.push(nowMs)
          expect(budget.admitted || recently(rateWindowMs + rateBucketMs) >= limit).toBe(true)
          expect(recently(rateWindowMs)).toBeLessThanOrEqual(limit)
          expect(budget.remaining).toBeGreaterThanOrEqual(0)
          expect(budget.remaining).toBeLessThanOrEqual(limit - recently(rateWindowMs))
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
