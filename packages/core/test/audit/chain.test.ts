import { auditKeysOf, linkHash, sealHash, signAnchor } from '@hosting/core/audit'
import { expect, test } from '@jest/globals'

// The expected values were computed with another implementation of HMAC-SHA-256. Chains and anchors that are stored depend on them.

const key = Buffer.alloc(32, 1)
const previous = Buffer.alloc(32, 2)

test('the seal of an entry never changes', () => {
  const row = { ip: null, details: { scopes: ['sites:read'] }, action: 'api_key.create' }
  expect(sealHash(key, { previous, sequence: 7n, row }).toString('hex')).toBe(
    'a8dc4d4270d5ceb47056f8ebd90fd80dc96d787f51a73321fb2be6b5f4688948',
  )
})

test('the hash of a link never changes', () => {
  const head = {
    tenantId: '0190a1b2-0000-7000-8000-000000000001',
    count: 3n,
    hash: Buffer.alloc(32, 3),
  }
  expect(linkHash(key, { previous, sequence: 9n, ...head }).toString('hex')).toBe(
    '76a082fdd9e0dd94a9a6171f44d7b9450cc803c282488d45e34848348623d5a7',
  )
})

test('the signature of an anchor never changes', () => {
  const anchor = { time: '2026-01-02T03:04:05.678Z', count: 9, hash: 'ab'.repeat(32) }
  expect(signAnchor(key, anchor)).toBe(
    '26b082d76d9f70d92966a53e9f31fd458ecdbf2347171c76c37ad07b2054b191',
  )
})

test('the key that is derived from a server secret never changes', () => {
  const { keys } = auditKeysOf(undefined, [Buffer.alloc(32, 4)])
  expect(keys[0].toString('hex')).toBe(
    'a792dbb5029b450c6afa3bae0e5d7324d21bf25d5160477f3e8a24e406703bb7',
  )
})
