import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Clock } from '../../src/clock/clock.ts'

const startMs = Date.UTC(2026, 10, 22)
const hourMs = 3_600_000

/** A machine whose clock is wrong by the given ms, and a database whose clock is correct. */
function makeMachine(wrongByMs: number) {
  let [passedMs, setByMs] = [0, wrongByMs]
  const trueMs = () => startMs + passedMs
  const local = {
    wallMs: () => Math.floor(trueMs() + setByMs),
    monotonicMs: () => passedMs,
  }
  const clock = new Clock(local)
  return {
    clock,
    trueMs,
    pass: (ms: number) => void (passedMs += ms),
    setWall: (byMs: number) => void (setByMs += byMs),
    /** Reads the database's clock. The query and the response take the given ms. */
    measure(thereMs: number, backMs: number) {
      const sentMs = clock.readWallMs()
      passedMs += thereMs
      const referenceMs = trueMs()
      passedMs += backMs
      clock.adjust({ sentMs, receivedMs: clock.readWallMs(), referenceMs })
    },
  }
}

describe('the clock', () => {
  test('is the local clock while that agrees with every reading', () => {
    const delays = fc.tuple(
      fc.double({ min: 0, max: 900, noNaN: true }),
      fc.double({ min: 0, max: 900, noNaN: true }),
    )
    fc.assert(
      fc.property(fc.array(delays), (readings) => {
        const { clock, measure, trueMs } = makeMachine(0)
        for (const [there, back] of readings) measure(there, back)
        expect(clock.nowMs()).toBe(Math.floor(trueMs()))
        expect(clock.differenceMs()).toBe(0)
      }),
    )
  })

  test.each([32 * 24 * hourMs, 2 * hourMs, -48 * hourMs, 1_500, -3])(
    'is as accurate as the reading on a machine that is wrong by %d ms',
    (wrongByMs) => {
      const { clock, measure, pass, trueMs } = makeMachine(wrongByMs)
      measure(10, 15)
      pass(60_000)
      expect(Math.abs(clock.nowMs() - trueMs())).toBeLessThanOrEqual(26)
      measure(0.2, 0.2)
      expect(Math.abs(clock.nowMs() - trueMs())).toBeLessThanOrEqual(2)
      expect(Math.abs(clock.differenceMs() - wrongByMs)).toBeLessThanOrEqual(2)
    },
  )

  test.each([5 * hourMs, -5 * hourMs, 700])(
    'continues if the local clock is set by %d ms before the next reading',
    (byMs) => {
      const { clock, measure, pass, setWall, trueMs } = makeMachine(0)
      measure(1, 1)
      pass(2_000)
      setWall(byMs)
      pass(2_000)
      expect(Math.abs(clock.nowMs() - trueMs())).toBeLessThanOrEqual(2)
      expect(Math.abs(clock.differenceMs() - byMs)).toBeLessThanOrEqual(2)
    },
  )

  test('drops a reading during which the local clock was set', () => {
    for (const byMs of [-hourMs, hourMs]) {
      const { clock, pass, setWall, trueMs } = makeMachine(0)
      const sentMs = clock.readWallMs()
      pass(5)
      setWall(byMs)
      clock.adjust({ sentMs, receivedMs: clock.readWallMs(), referenceMs: trueMs() })
      expect(Math.abs(clock.nowMs() - trueMs())).toBeLessThanOrEqual(2)
    }
  })
})

test.each([
  [5_100, true],
  [-5_100, true],
  [4_900, false],
  [-4_900, false],
])('a local clock that differs by %d ms is wrong: %s', (wrongByMs, isWrong) => {
  const { clock, measure } = makeMachine(wrongByMs)
  measure(1, 1)
  expect(clock.isWrong()).toBe(isWrong)
})
