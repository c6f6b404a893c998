import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  decideDevicePoll,
  statusOfDeviceLogin,
  type DeviceLoginState,
} from '../../src/device-login/decide-poll.ts'
import {
  approvalHolds,
  passwordFingerprint,
  type Approver,
} from '../../src/device-login/decisions.ts'

const now = new Date('2026-06-01T12:00:00Z')
const inMs = (ms: number) => new Date(now.getTime() + ms)
const states: DeviceLoginState[] = ['pending', 'approved', 'denied', 'delivered']
const requestIn = (status: DeviceLoginState, expiresAt = inMs(1), lastPolledAt?: Date) => ({
  status,
  expiresAt,
  lastPolledAt: lastPolledAt ?? null,
})

describe('decideDevicePoll', () => {
  test('checks unknown, expired and delivered first, then denied, approved, pending', () => {
    expect(decideDevicePoll(undefined, now)).toBe('expired_token')
    for (const state of states) {
      expect(decideDevicePoll(requestIn(state, now), now)).toBe('expired_token')
    }
    expect(states.map((state) => decideDevicePoll(requestIn(state), now))).toEqual([
      'authorization_pending',
      'deliver',
      'access_denied',
      'expired_token',
    ])
  })

  test('slows down only a pending login, and only within four seconds', () => {
    const polled = (state: DeviceLoginState, ms: number) =>
      decideDevicePoll(requestIn(state, inMs(1), inMs(-ms)), now)
    expect([0, 3_999, 4_000, 5_000].map((ms) => polled('pending', ms))).toEqual([
      'slow_down',
      'slow_down',
      'authorization_pending',
      'authorization_pending',
    ])
    expect(polled('approved', 0)).toBe('deliver')
    expect(polled('denied', 0)).toBe('access_denied')
  })

  test('a client that may repeat a poll is not slowed down within a second', () => {
    const polled = (ms: number, state: DeviceLoginState = 'pending') =>
      decideDevicePoll(requestIn(state, inMs(1), inMs(-ms)), now, { allowsRepeats: true })
    expect([0, 999, 1_000, 3_999, 4_000].map((ms) => polled(ms))).toEqual([
      'pending_repeated',
      'pending_repeated',
      'slow_down',
      'slow_down',
      'authorization_pending',
    ])
    expect(polled(0, 'approved')).toBe('deliver')
    expect(decideDevicePoll(requestIn('pending'), now, { allowsRepeats: true })).toBe(
      'authorization_pending',
    )
  })

  test('never slows down a client that polls about every five seconds, or waits after slow_down', () => {
    const gaps = fc.array(fc.integer({ min: 4_700, max: 5_300 }), { minLength: 40, maxLength: 40 })
    fc.assert(
      fc.property(gaps, fc.array(fc.nat(3_999), { maxLength: 5 }), (waits, early) => {
        let at = now.getTime()
        for (const wait of waits) {
          const lastPolledAt = new Date(at)
          const request = requestIn('pending', inMs(600_000), lastPolledAt)
          for (const ms of early) {
            expect(decideDevicePoll(request, new Date(at + ms))).toBe('slow_down')
          }
          at += wait
          expect(decideDevicePoll(request, new Date(at))).toBe('authorization_pending')
        }
      }),
    )
  })
})

test('a device login that was neither delivered nor denied before its expiry is expired', () => {
  const shown = (expiresAt: Date) =>
    states.map((state) => statusOfDeviceLogin(requestIn(state, expiresAt), now))
  expect(shown(inMs(1))).toEqual(states)
  expect(shown(now)).toEqual(['expired', 'expired', 'denied', 'delivered'])
})

describe('approvalHolds', () => {
  const approver: Approver = {
    active: true,
    roles: ['customer'],
    passwordHash: '$argon2id$a',
    sessionLives: true,
  }
  const mark = passwordFingerprint(approver.passwordHash)

  test('while the approver is active, may create keys and has the same password', () => {
    expect(approvalHolds(approver, mark)).toBe(true)
  })

  test.each<[what: string, change: Partial<Approver>]>([
    ['is deactivated', { active: false }],
    ['has no role', { roles: [] }],
    ['has another password', { passwordHash: '$argon2id$b' }],
    ['has no password', { passwordHash: null }],
    ['has ended the session', { sessionLives: false }],
  ])('not if the approver %s', (_what, change) => {
    expect(approvalHolds({ ...approver, ...change }, mark)).toBe(false)
  })

  test('the fingerprint is 32 bytes and does not contain the password', () => {
    expect(mark).toHaveLength(32)
    expect(mark.toString('latin1')).not.toContain('argon2id')
  })
})
