import { describe, expect, test } from '@jest/globals'
import { earlierEnd, endsBy, isStillValid } from '../../src/clock/durations.ts'
import { verifyKey } from '../../src/api-keys/verify-key.ts'
import { widerAspect, type KeyReach } from '../../src/api-keys/key-reach.ts'
import { isAlive } from '../../src/sessions/session-life.ts'
import { decideDevicePoll } from '../../src/device-login/decide-poll.ts'

const now = new Date('2026-11-28T12:00:00Z')
const soon = new Date(now.getTime() + 1)
/** What a driver may make of a time that it cannot read. */
const broken: readonly (Date | null)[] = [
  new Date(NaN),
  new Date('28.11.2026 12:00:00 UTC'),
  undefined as unknown as Date,
]

describe('only what ends later than now is valid', () => {
  test.each([
    [soon, true],
    [now, false],
    [new Date(now.getTime() - 1), false],
    [null, true],
    ...broken.map((end) => [end, false] as const),
  ])('%s: %s', (end, isValid) => expect(isStillValid(end, now)).toBe(isValid))
})

test('an end that is no valid time meets no limit, and no end meets such a limit', () => {
  expect([endsBy(soon, null), endsBy(null, null), endsBy(now, soon), endsBy(now, now)]).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect([endsBy(soon, now), endsBy(null, now)]).toEqual([false, false])
  for (const end of broken.slice(0, 2))
    expect([endsBy(end, now), endsBy(now, end)]).toEqual([false, false])
})

test('of two ends, the earlier one or the invalid one counts', () => {
  expect([earlierEnd(now, soon), earlierEnd(soon, now)]).toEqual([now, now])
  expect(earlierEnd(new Date(NaN), now).getTime()).toBeNaN()
})

describe.each(broken)('with an end that cannot be read', (end) => {
  const hash = Buffer.alloc(32, 1)
  const secret = { id: 'a-secret', hash, expiresAt: null, lineageId: null }
  const verify = (state: object) =>
    verifyKey(
      { usable: true, expiresAt: null, allowlist: null, secrets: [secret], ...state },
      { hashes: [hash], ip: '127.0.0.1', now },
    ).refusal

  test('a key and a secret are refused', () => {
    expect(verify({})).toBeUndefined()
    expect(verify({ expiresAt: end })).toBe('invalid_api_key')
    expect(verify({ secrets: [{ ...secret, expiresAt: end }] })).toBe('invalid_api_key')
  })

  test('a session is over, and a device login has expired', () => {
    const session = {
      secretHash: hash,
      idleExpiresAt: soon,
      absoluteExpiresAt: soon,
      revokedAt: null,
      userIsActive: true,
      impersonator: null,
    }
    expect(isAlive(session, { hash, now })).toBe(true)
    expect(isAlive({ ...session, idleExpiresAt: end! }, { hash, now })).toBe(false)
    expect(isAlive({ ...session, absoluteExpiresAt: end! }, { hash, now })).toBe(false)
    const login = { status: 'approved', expiresAt: end!, lastPolledAt: null } as const
    expect(decideDevicePoll(login, now)).toBe('expired_token')
  })

  test('a new key is wider than its caller', () => {
    const caller: KeyReach = {
      kind: 'organization',
      scopes: ['sites:read'],
      expiresAt: soon,
      allowlist: null,
      accounts: null,
      rateLimitPerMinute: 60,
    }
    expect(widerAspect(caller, caller)).toBeUndefined()
    expect(widerAspect(caller, { ...caller, expiresAt: end })).toBe('expires_at')
  })
})
