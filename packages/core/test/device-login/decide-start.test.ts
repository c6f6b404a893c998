import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  decideUserCodeGuess,
  decideDeviceStart,
  type EarlierStart,
} from '../../src/device-login/decisions.ts'
import { devicePendingMax, deviceStartsPerMinute } from '../../src/device-login/limits.ts'

const now = new Date('2026-06-01T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)
const started = (seconds: number, pending = false): EarlierStart => ({
  createdAt: ago(seconds),
  expiresAt: ago(seconds - 600),
  pending,
})
const many = (count: number, of: EarlierStart) => Array.from({ length: count }, () => of)

describe('decideDeviceStart', () => {
  test('delays the eleventh within a minute until the first is a minute old', () => {
    expect(decideDeviceStart(many(9, started(20)), now)).toBeUndefined()
    expect(decideDeviceStart(many(10, started(20)), now)).toBe(40_000)
    expect(decideDeviceStart([started(59), ...many(9, started(1))], now)).toBe(1_000)
    expect(decideDeviceStart([started(60), ...many(9, started(1))], now)).toBeUndefined()
  })

  test('delays the sixth pending login until one expires; decided and expired logins do not count', () => {
    expect(decideDeviceStart(many(4, started(100, true)), now)).toBeUndefined()
    expect(decideDeviceStart(many(5, started(100, true)), now)).toBe(500_000)
    expect(decideDeviceStart([started(600, true), ...many(4, started(100, true))], now)).toBe(
      undefined,
    )
    expect(decideDeviceStart([started(100), ...many(4, started(100, true))], now)).toBeUndefined()
  })

  test('returns the longer wait of both limits', () => {
    expect(decideDeviceStart([...many(5, started(10, true)), ...many(5, started(30))], now)).toBe(
      590_000,
    )
  })

  test('allows at most ten in any minute and five pending, at any times', () => {
    const tries = fc.array(fc.record({ waitMs: fc.nat(40_000), decidedAfterMs: fc.nat(700_000) }), {
      maxLength: 80,
    })
    fc.assert(
      fc.property(tries, (steps) => {
        const made: { at: number; decidedAt: number }[] = []
        let ms = now.getTime()
        for (const { waitMs, decidedAfterMs } of steps) {
          ms += waitMs
          const earlier = made.map(({ at, decidedAt }) => ({
            createdAt: new Date(at),
            expiresAt: new Date(at + 600_000),
            pending: decidedAt > ms,
          }))
          const wait = decideDeviceStart(earlier, new Date(ms))
          if (wait === undefined) made.push({ at: ms, decidedAt: ms + decidedAfterMs })
          const whenSaid = new Date(ms + (wait ?? 0))
          expect(decideDeviceStart(earlier, whenSaid)).toBeUndefined()
          const open = made.filter(({ at, decidedAt }) => decidedAt > ms && at + 600_000 > ms)
          expect(open.length).toBeLessThanOrEqual(devicePendingMax)
          const recent = made.filter(({ at }) => at > ms - 60_000)
          expect(recent.length).toBeLessThanOrEqual(deviceStartsPerMinute)
        }
      }),
    )
  })
})

test('after five wrong user codes in ten minutes, all are refused until the first is ten minutes old', () => {
  expect(decideUserCodeGuess([], now)).toBeUndefined()
  expect(decideUserCodeGuess([599, 4, 3, 2].map(ago), now)).toBeUndefined()
  expect(decideUserCodeGuess([2, 599, 4, 3, 1].map(ago), now)).toBe(1_000)
  expect(decideUserCodeGuess([600, 4, 3, 2, 1].map(ago), now)).toBeUndefined()
  expect(decideUserCodeGuess([900, 700, 300, 4, 3, 2, 1].map(ago), now)).toBe(300_000)
})
