import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  budgetHeaders,
  LocalBudgets,
  rateWindowMs,
  resetSeconds,
  type Budget,
} from '../../src/rate-limit/index.ts'

describe('the headers', () => {
  const budget: Budget = { limit: 60, admitted: true, remaining: 7, resetMs: 12_001 }

  test('have the form of the specification', () => {
    expect(budgetHeaders(budget)).toEqual({
      'RateLimit-Policy': '"per-key";q=60;w=60',
      RateLimit: '"per-key";r=7;t=13',
    })
  })

  test.each([
    [0, 0],
    [1, 1],
    [999, 1],
    [1_000, 1],
    [1_001, 2],
    [60_000, 60],
  ])('%i ms are rounded up to %i s', (resetMs, seconds) => {
    expect(resetSeconds({ ...budget, resetMs })).toBe(seconds)
  })
})

/** Makes a request at each time and returns the times with their budgets. */
function takeAll(limit: number, timesMs: readonly number[]) {
  const budgets = new LocalBudgets()
  return timesMs.map((nowMs) => ({
    nowMs,
    budget: budgets.take('key', { limit, charge: true, nowMs }),
  }))
}

const scenarios = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  startMs: fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
  gapsMs: fc.array(fc.oneof(fc.constant(0), fc.nat(200), fc.nat(6_000), fc.nat(70_000)), {
    minLength: 1,
    maxLength: 80,
  }),
})

function timesOf({ startMs, gapsMs }: { startMs: number; gapsMs: readonly number[] }): number[] {
  let nowMs = startMs
  return gapsMs.map((gapMs) => (nowMs += gapMs))
}

describe('the sliding window', () => {
  test('is 60 seconds', () => {
    expect(rateWindowMs).toBe(60_000)
  })

  test.each([0, 1, 2_500, 4_999])(
    'restores a burst once the window is over, %i ms into a bucket',
    (offsetMs) => {
      const usedMs = 1_750_000_000_000 + offsetMs
      const taken = takeAll(2, [usedMs, usedMs, usedMs, usedMs + 59_999, usedMs + 60_000])
      expect(taken.map(({ budget }) => budget.admitted)).toEqual([true, true, false, false, true])
      expect(taken.map(({ budget }) => resetSeconds(budget))).toEqual([60, 60, 60, 1, 60])
    },
  )

  test('never admits more than the limit in any 60 seconds', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const admitted = takeAll(scenario.limit, timesOf(scenario))
          .filter(({ budget }) => budget.admitted)
          .map(({ nowMs }) => nowMs)
        for (const [index, fromMs] of admitted.entries()) {
          const within = admitted.slice(index).filter((ms) => ms - fromMs < rateWindowMs)
          expect(within.length).toBeLessThanOrEqual(scenario.limit)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('refuses only if the last 65 seconds have used the limit', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const taken = takeAll(scenario.limit, timesOf(scenario))
        for (const [index, { nowMs, budget }] of taken.entries()) {
          const recent = taken
            .slice(0, index)
            .filter((each) => each.budget.admitted && nowMs - each.nowMs < 65_000)
          expect(budget.admitted || recent.length >= scenario.limit).toBe(true)
          expect(budget.remaining).toBeGreaterThanOrEqual(
            Math.max(0, scenario.limit - recent.length - 1),
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  test('admits a request after the reported wait, and no sooner', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const budgets = new LocalBudgets()
        const take = (nowMs: number, charge = true) =>
          budgets.take('key', { limit: scenario.limit, charge, nowMs })
        for (const nowMs of timesOf(scenario)) {
          const refused = take(nowMs)
          if (refused.admitted) continue
          expect(refused.remaining).toBe(0)
          expect(refused.resetMs).toBeGreaterThan(0)
          expect(refused.resetMs).toBeLessThanOrEqual(rateWindowMs)
          expect(take(nowMs + refused.resetMs - 1, false).admitted).toBe(false)
          expect(take(nowMs + resetSeconds(refused) * 1_000, false).admitted).toBe(true)
          return
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('a budget', () => {
  const nowMs = 1_750_000_000_000

  test('counts down from the limit, then refuses', () => {
    const said = takeAll(3, [nowMs, nowMs, nowMs, nowMs, nowMs]).map(({ budget }) => [
      budget.admitted,
      budget.remaining,
    ])
    expect(said).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ])
  })

  test('is not changed by reading it', () => {
    const budgets = new LocalBudgets()
    for (let time = 0; time < 5; time++) {
      const budget = budgets.take('key', { limit: 2, charge: false, nowMs })
      expect(budget).toEqual({ limit: 2, admitted: true, remaining: 2, resetMs: 0 })
    }
  })

  test('is separate for each key', () => {
    const budgets = new LocalBudgets()
    const take = (key: string) => budgets.take(key, { limit: 1, charge: true, nowMs }).admitted
    expect([take('a'), take('a'), take('b')]).toEqual([true, false, true])
  })

  test('waits after the limit is lowered until enough requests no longer count, and continues after it is raised', () => {
    const budgets = new LocalBudgets()
    const take = (limit: number, at: number) =>
      budgets.take('key', { limit, charge: true, nowMs: nowMs + at })
    for (const at of [0, 10_000, 20_000, 30_000]) expect(take(4, at).admitted).toBe(true)
    const lowered = take(2, 31_000)
    expect(lowered).toMatchObject({ limit: 2, admitted: false, remaining: 0 })
    // Three of four must no longer count; the third was at 20 s.
    expect(lowered.resetMs).toBe(20_000 + 60_000 - 31_000)
    expect(take(6, 31_000)).toMatchObject({ admitted: true, remaining: 1 })
  })

  describe('after Redis has counted', () => {
    const limit = 24
    const noted = (remaining: number, resetMs: number) => {
      const budgets = new LocalBudgets()
      budgets.note('key', { limit, admitted: true, remaining, resetMs }, nowMs)
      return (atMs: number) => budgets.take('key', { limit, charge: true, nowMs: nowMs + atMs })
    }
    const countAdmitted = (takes: readonly Budget[]) =>
      takes.filter(({ admitted }) => admitted).length

    test.each([
      [0, 0],
      [1, 1],
      [24, 24],
    ])(
      'admits the remaining budget that Redis reported: with %i remaining, %i',
      (remaining, admitted) => {
        const take = noted(remaining, 30_000)
        const takes = Array.from({ length: limit + 1 }, () => take(29_999))
        expect(countAdmitted(takes)).toBe(admitted)
      },
    )

    test("refuses until the time that Redis reported, then admits a steady caller's rate", () => {
      const take = noted(0, 12_000)
      expect(take(0)).toEqual({ limit, admitted: false, remaining: 0, resetMs: 12_000 })
      const afterMs = Array.from({ length: limit }, (_, index) => 12_000 + index * 2_000)
      expect(countAdmitted(afterMs.map(take))).toBe(limit)
      expect(take(60_000).admitted).toBe(false)
    })

    test("discards Redis's count when the window is over or Redis reports a newer one", () => {
      expect(noted(0, 60_000)(60_000)).toMatchObject({ admitted: true, remaining: limit - 1 })
      const budgets = new LocalBudgets()
      const budget = { limit, admitted: true, resetMs: 60_000 }
      budgets.note('key', { ...budget, remaining: 0 }, nowMs)
      budgets.take('key', { limit, charge: true, nowMs })
      budgets.note('key', { ...budget, remaining: 10 }, nowMs)
      expect(budgets.take('key', { limit, charge: true, nowMs }).remaining).toBe(9)
    })
  })
})
