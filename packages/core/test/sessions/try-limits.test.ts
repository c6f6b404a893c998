import { accountNameOf, decideTry, type FailedTries } from '@hosting/core/sessions'
import { describe, expect, test } from '@jest/globals'

const rule = { free: 3, baseMs: 1_000, capMs: 5_000, forgetMs: 60_000 }
const start = new Date('2026-11-20T12:00:00Z')
const later = (ms: number): Date => new Date(start.getTime() + ms)
const fresh: FailedTries = { failures: 0, lastAt: start, blockedUntil: start }

/** The state after a try that is allowed. */
function afterTry(state: FailedTries, now: Date) {
  const decision = decideTry(state, rule, now)
  if (!('next' in decision)) throw new Error(`has to wait ${decision.waitMs} ms`)
  return decision.next
}

describe('failed tries', () => {
  test('cause no delay at first, then a delay that doubles up to the maximum', () => {
    let state: FailedTries = fresh
    let now = start
    const delays = []
    for (let time = 0; time < 8; time++) {
      state = afterTry(state, now)
      delays.push(state.blockedUntil.getTime() - now.getTime())
      now = state.blockedUntil
    }
    expect(delays).toEqual([0, 0, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000])
  })

  test('a try that is too early gets the time to wait and does not extend it', () => {
    const state = { failures: 4, lastAt: start, blockedUntil: later(2_000) }
    expect(decideTry(state, rule, later(500))).toEqual({ waitMs: 1_500 })
    expect(decideTry(state, rule, later(2_000))).toMatchObject({ next: { failures: 5 } })
  })

  test('are forgotten one by one', () => {
    const state = { failures: 6, lastAt: start, blockedUntil: start }
    const failuresAfter = (ms: number) => afterTry(state, later(ms)).failures
    expect([0, 59_999, 60_000, 240_000, 3_600_000].map(failuresAfter)).toEqual([7, 7, 6, 3, 1])
    expect(afterTry(state, start).forgottenAt).toEqual(later(7 * 60_000))
  })

  test('are not affected by a clock that is set back', () => {
    expect(afterTry({ ...fresh, failures: 1, blockedUntil: later(-9) }, later(-5)).failures).toBe(2)
  })
})

test('an account, its browser and an unknown address have different names that reveal nothing', () => {
  const secret = Buffer.alloc(32, 1)
  const identities = [
    { userId: 'ana' },
    { userId: 'ana', browser: 'one' },
    { userId: 'ana', browser: 'two' },
    { loweredEmail: 'ana' },
  ]
  const names = [
    ...identities.map((identity) => accountNameOf(secret, identity)),
    accountNameOf(Buffer.alloc(32, 2), { userId: 'ana' }),
  ]
  for (const name of names) expect(name).toMatch(/^[\w-]{43}$/)
  expect(new Set(names).size).toBe(names.length)
})
