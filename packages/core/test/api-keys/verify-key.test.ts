import { describe, expect, test } from '@jest/globals'
import { toAllowlist } from '../../src/api-keys/allowlist.ts'
import { verifyKey, type KeyState } from '../../src/api-keys/verify-key.ts'

const now = new Date('2026-06-01T12:00:00Z')
const at = (ms: number) => new Date(now.getTime() + ms)
const hashOf = (byte: number) => Buffer.alloc(32, byte)

const secretOf = (byte: number, expiresAt: Date | null, lineageId: string | null = null) => ({
  id: `secret-${byte}`,
  hash: hashOf(byte),
  expiresAt,
  lineageId,
})

const facts: KeyState = {
  usable: true,
  expiresAt: null,
  secrets: [
    secretOf(1, null),
    secretOf(2, at(1), 'of-another-key'),
    secretOf(3, now),
    secretOf(4, at(-1)),
  ],
  allowlist: toAllowlist(['203.0.113.0/24']),
}

const verify = (change: Partial<KeyState>, shown: { secret?: number; ip?: string } = {}) =>
  verifyKey(
    { ...facts, ...change },
    { hashes: [hashOf(shown.secret ?? 1)], ip: shown.ip ?? '203.0.113.7', now },
  )

const allowed = {
  secretMatches: true,
  secretId: 'secret-1',
  lineageId: null,
  secretExpiresAt: null,
  refusal: undefined,
}
const unknown = { ...allowed, secretMatches: false, secretId: null, refusal: 'invalid_api_key' }
const spent = { ...allowed, refusal: 'invalid_api_key' }
const elsewhere = { ...allowed, refusal: 'api_key_ip_denied' }

describe('the secret', () => {
  test.each([
    ['the current one', 1, allowed],
    [
      'one with a lineage of its own, whose overlap period lasts 1 ms more',
      2,
      { ...allowed, secretId: 'secret-2', lineageId: 'of-another-key', secretExpiresAt: at(1) },
    ],
    ['one whose overlap period ends now', 3, unknown],
    ['one whose overlap period is over', 4, unknown],
    ['another', 5, unknown],
  ])('%s', (_what, secret, verdict) => expect(verify({}, { secret })).toEqual(verdict))

  test('never matches a key without secrets', () => {
    expect(verify({ secrets: [] })).toEqual(unknown)
  })

  test('of another length does not match and does not throw', () => {
    const shown = { hashes: [Buffer.alloc(31, 1)], ip: '203.0.113.7', now }
    expect(verifyKey(facts, shown)).toEqual(unknown)
  })

  test('matches any valid one with the same hash', () => {
    const secrets = [secretOf(1, at(-1)), secretOf(1, null)]
    expect(verify({ secrets })).toEqual(allowed)
  })
})

describe('the key', () => {
  test.each([
    ['ends in 1 ms', { expiresAt: at(1) }, allowed],
    ['ends now', { expiresAt: now }, spent],
    ['ended', { expiresAt: at(-1) }, spent],
    ['is revoked or has no active user', { usable: false }, spent],
  ])('%s', (_what, change, verdict) => expect(verify(change)).toEqual(verdict))

  test('ends with all its secrets, even during an overlap period', () => {
    expect(verify({ expiresAt: now }, { secret: 2 })).toEqual({
      ...spent,
      secretId: 'secret-2',
      lineageId: 'of-another-key',
      secretExpiresAt: at(1),
    })
  })
})

describe('the address', () => {
  test.each([
    ['203.0.113.255', allowed],
    ['::ffff:203.0.113.7', allowed],
    ['203.0.114.0', elsewhere],
    ['2001:db8::1', elsewhere],
    ['nonsense', elsewhere],
  ])('%s', (ip, verdict) => expect(verify({}, { ip })).toEqual(verdict))

  test('is not checked without an allowlist', () => {
    expect(verify({ allowlist: null }, { ip: '2001:db8::1' })).toEqual(allowed)
  })
})

test('a wrong secret reveals neither status nor allowlist; an expired key does not reveal its allowlist', () => {
  const ip = '198.51.100.1'
  for (const change of [{}, { usable: false }, { expiresAt: at(-1) }]) {
    expect(verify(change, { secret: 5, ip })).toEqual(unknown)
  }
  expect(verify({ usable: false }, { ip })).toEqual(spent)
  expect(verify({ expiresAt: at(-1) }, { ip })).toEqual(spent)
})
