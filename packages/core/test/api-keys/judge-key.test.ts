import { describe, expect, test } from '@jest/globals'
import { toAllowlist } from '../../src/api-keys/allowlist.ts'
import { judgeKey, type KeyFacts } from '../../src/api-keys/judge-key.ts'

const now = new Date('2026-06-01T12:00:00Z')
const at = (ms: number) => new Date(now.getTime() + ms)
const hashOf = (byte: number) => Buffer.alloc(32, byte)

const facts: KeyFacts = {
  usable: true,
  expiresAt: null,
  secrets: [
    { hash: hashOf(1), expiresAt: null },
    { hash: hashOf(2), expiresAt: at(1) },
    { hash: hashOf(3), expiresAt: now },
    { hash: hashOf(4), expiresAt: at(-1) },
  ],
  allowlist: toAllowlist(['203.0.113.0/24']),
}

const judge = (change: Partial<KeyFacts>, shown: { secret?: number; ip?: string } = {}) =>
  judgeKey(
    { ...facts, ...change },
    { hashes: [hashOf(shown.secret ?? 1)], ip: shown.ip ?? '203.0.113.7', now },
  )

const allowed = { proven: true, refusal: undefined }
const unknown = { proven: false, refusal: 'invalid_api_key' }
const spent = { proven: true, refusal: 'invalid_api_key' }
const elsewhere = { proven: true, refusal: 'api_key_ip_denied' }

describe('the secret', () => {
  test.each([
    ['the present one', 1, allowed],
    ['one whose grace lasts 1 ms more', 2, allowed],
    ['one whose grace ends now', 3, unknown],
    ['one whose grace is over', 4, unknown],
    ['another', 5, unknown],
  ])('%s', (_what, secret, verdict) => expect(judge({}, { secret })).toEqual(verdict))

  test('of a key without any proves nothing', () => {
    expect(judge({ secrets: [] })).toEqual(unknown)
  })

  test('of another length proves nothing and does not throw', () => {
    const shown = { hashes: [Buffer.alloc(31, 1)], ip: '203.0.113.7', now }
    expect(judgeKey(facts, shown)).toEqual(unknown)
  })

  test('is proven by any of the same hash that is valid', () => {
    const secrets = [
      { hash: hashOf(1), expiresAt: at(-1) },
      { hash: hashOf(1), expiresAt: null },
    ]
    expect(judge({ secrets })).toEqual(allowed)
  })
})

describe('the key', () => {
  test.each([
    ['ends in 1 ms', { expiresAt: at(1) }, allowed],
    ['ends now', { expiresAt: now }, spent],
    ['ended', { expiresAt: at(-1) }, spent],
    ['is revoked or has no active user', { usable: false }, spent],
  ])('%s', (_what, change, verdict) => expect(judge(change)).toEqual(verdict))

  test('ends with all its secrets, whatever their grace', () => {
    expect(judge({ expiresAt: now }, { secret: 2 })).toEqual(spent)
  })
})

describe('the address', () => {
  test.each([
    ['203.0.113.255', allowed],
    ['::ffff:203.0.113.7', allowed],
    ['203.0.114.0', elsewhere],
    ['2001:db8::1', elsewhere],
    ['nonsense', elsewhere],
  ])('%s', (ip, verdict) => expect(judge({}, { ip })).toEqual(verdict))

  test('does not count without a list', () => {
    expect(judge({ allowlist: null }, { ip: '2001:db8::1' })).toEqual(allowed)
  })
})

test('a wrong secret reveals neither state nor list, an ended key not its list', () => {
  const ip = '198.51.100.1'
  for (const change of [{}, { usable: false }, { expiresAt: at(-1) }]) {
    expect(judge(change, { secret: 5, ip })).toEqual(unknown)
  }
  expect(judge({ usable: false }, { ip })).toEqual(spent)
  expect(judge({ expiresAt: at(-1) }, { ip })).toEqual(spent)
})
