import {
  isAlive,
  isConfirmed,
  isLastUseOutdated,
  sessionEnd,
  sessionEnds,
} from '@hosting/core/sessions'
import { describe, expect, test } from '@jest/globals'

const now = new Date('2026-11-20T12:00:00Z')
const from = (ms: number): Date => new Date(now.getTime() + ms)
const hash = Buffer.alloc(32, 1)
const session = {
  secretHash: hash,
  idleExpiresAt: from(1),
  absoluteExpiresAt: from(1),
  revokedAt: null,
  userIsActive: true,
  impersonator: null,
}
const admin = { isActive: true, roles: ['admin' as const] }

describe('a session', () => {
  test.each([
    ['that is unchanged', {}, true],
    ['that was idle for too long', { idleExpiresAt: now }, false],
    ['past its lifetime', { absoluteExpiresAt: now }, false],
    ['that was revoked', { revokedAt: from(-1) }, false],
    ['of an inactive user', { userIsActive: false }, false],
    ['of an admin who impersonates', { impersonator: admin }, true],
    [
      'of an inactive admin who impersonates',
      { impersonator: { ...admin, isActive: false } },
      false,
    ],
    [
      'of an impersonator without the permission',
      { impersonator: { ...admin, roles: ['support' as const] } },
      false,
    ],
  ])('%s: %j', (_what, change, expected) => {
    expect(isAlive({ ...session, ...change }, { hash, now })).toBe(expected)
  })

  test('is invalid with another secret', () => {
    expect(isAlive(session, { hash: Buffer.alloc(32, 2), now })).toBe(false)
  })

  test('ends after its lifetime, even if the idle time is longer', () => {
    expect(sessionEnds({ idleMs: 10, lifetimeMs: 100 }, now)).toEqual({
      idleExpiresAt: from(10),
      absoluteExpiresAt: from(100),
    })
    const short = sessionEnds({ idleMs: 1_000, lifetimeMs: 100 }, now)
    expect(sessionEnd(short)).toEqual(from(100))
    expect(sessionEnd({ idleExpiresAt: from(200), absoluteExpiresAt: from(100) })).toEqual(
      from(100),
    )
  })
})

test('a confirmation is valid for 5 minutes', () => {
  expect(isConfirmed(from(-300_000), now)).toBe(true)
  expect(isConfirmed(from(-300_001), now)).toBe(false)
})

test('the last use is updated at most once a minute', () => {
  const idleMs = 12 * 3_600_000
  expect(isLastUseOutdated(from(-59_999), { idleMs, now })).toBe(false)
  expect(isLastUseOutdated(from(-60_000), { idleMs, now })).toBe(true)
})

test('the last use is updated in time under a short idle limit', () => {
  expect(isLastUseOutdated(from(-5_999), { idleMs: 60_000, now })).toBe(false)
  expect(isLastUseOutdated(from(-6_000), { idleMs: 60_000, now })).toBe(true)
})
