import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { errorClasses, outcomeOfStatus } from '../../src/webhooks/attempt.ts'
import { slowLaneMs } from '../../src/webhooks/lanes.ts'
import { decideNextStep, retryDelaysSecondsDefault } from '../../src/webhooks/retries.ts'

/** 1 min, 5 min, 30 min, 2 h, 6 h, 12 h (docs/specification/deliveries.md#retries). */
const minuteMs = 60_000
const schedule = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * minuteMs)
const unspread = { retryDelaysMs: schedule, random: 0 }

describe('after attempt', () => {
  test.each(schedule.map((delayMs, index) => [index + 1, delayMs / minuteMs, delayMs]))(
    '%i fails, it is retried after %i min',
    (number, _minutes, delayMs) => {
      for (const errorClass of errorClasses) {
        const next = decideNextStep({ errorClass }, number, unspread)
        expect(next).toEqual({ status: 'waiting_retry', delayMs })
      }
    },
  )

  test('7, the last one, fails, the delivery is dead', () => {
    for (const errorClass of errorClasses) {
      const next = decideNextStep({ errorClass }, 7, unspread)
      expect(next).toEqual({ status: 'dead' })
    }
  })

  test.each([1, 2, 3, 4, 5, 6, 7])('%i succeeds, the delivery has succeeded', (number) => {
    const outcome = { statusCode: 204, errorClass: null }
    expect(decideNextStep(outcome, number, unspread)).toEqual({ status: 'succeeded' })
  })
})

describe('the step after an attempt', () => {
  test('of the default schedule is due while the endpoint still uses the slow lane', () => {
    const retryDelaysMs = retryDelaysSecondsDefault.map((delay) => delay * 1_000)
    const next = decideNextStep({ errorClass: 'timeout' }, 1, { retryDelaysMs, random: 1 })
    expect((next as { delayMs: number }).delayMs).toBeLessThan(slowLaneMs)
  })

  test('is at most a tenth of the delay or a minute later than scheduled, and never earlier', () => {
    const within = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
    fc.assert(
      fc.property(fc.array(fc.nat(86_400_000), { minLength: 1 }), within, (delaysMs, random) => {
        for (const [index, planned] of delaysMs.entries()) {
          const settings = { retryDelaysMs: delaysMs, random }
          const next = decideNextStep(outcomeOfStatus(500), index + 1, settings)
          const { delayMs } = next as { delayMs: number }
          expect(delayMs).toBeGreaterThanOrEqual(planned)
          expect(delayMs).toBeLessThanOrEqual(Math.ceil(planned + Math.min(planned / 10, minuteMs)))
        }
      }),
    )
  })

  test.each([1, 2, 3, 4, 5, 6])(
    'is not due at the same moment for all attempts that failed together: %i',
    (number) => {
      const delays = Array.from({ length: 100 }, (_, index) =>
        decideNextStep(outcomeOfStatus(500), number, {
          retryDelaysMs: schedule,
          random: index / 100,
        }),
      ).map((next) => (next as { delayMs: number }).delayMs)
      const spreadMs = Math.min(schedule[number - 1]! / 10, minuteMs)
      expect(new Set(delays).size).toBe(100)
      expect(delays.at(-1)! - delays[0]!).toBeGreaterThan(0.95 * spreadMs)
    },
  )

  test('allows 7 attempts in about 21 hours', () => {
    const hoursAt = (random: number): number => {
      const delays = schedule.map((_, index) => {
        const settings = { retryDelaysMs: schedule, random }
        return (decideNextStep(outcomeOfStatus(500), index + 1, settings) as { delayMs: number })
          .delayMs
      })
      expect(delays).toHaveLength(6)
      return delays.reduce((sum, delayMs) => sum + delayMs) / (60 * minuteMs)
    }
    expect(hoursAt(0)).toBeCloseTo(20.6)
    expect(hoursAt(0.999_999)).toBeLessThan(20.7)
  })

  test('makes the delivery dead immediately without a schedule', () => {
    expect(decideNextStep(outcomeOfStatus(500), 1, { retryDelaysMs: [], random: 0.5 })).toEqual({
      status: 'dead',
    })
  })

  test('is an immediate retry with a delay of 0', () => {
    const next = decideNextStep(outcomeOfStatus(500), 1, { retryDelaysMs: [0], random: 0.9 })
    expect(next).toEqual({ status: 'waiting_retry', delayMs: 0 })
  })
})
