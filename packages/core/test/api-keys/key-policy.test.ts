import { describe, expect, test } from '@jest/globals'
import {
  checkKeyPolicy,
  deviceKeyLifetimeMsOf,
  openKeyPolicy,
  type KeyPolicy,
  type RestrictedKey,
} from '../../src/api-keys/key-policy.ts'

const createdAt = new Date('2026-01-01T12:00:00.000Z')
const after = (ms: number) => new Date(createdAt.getTime() + ms)
const dayMs = 86_400_000

const strict: KeyPolicy = {
  maxLifetimeDays: 30,
  ipAllowlistRequired: true,
  personalKeysAllowed: false,
}

const open: RestrictedKey = { kind: 'personal', createdAt, expiresAt: null, ipAllowlist: null }
const narrow: RestrictedKey = {
  kind: 'organization',
  createdAt,
  expiresAt: after(30 * dayMs),
  ipAllowlist: ['203.0.113.7'],
}

const pointersOf = (policy: KeyPolicy, key: RestrictedKey) =>
  checkKeyPolicy(policy, key).map(({ pointer }) => pointer)

describe('a key', () => {
  test('of any kind complies if no policy is set', () => {
    expect(pointersOf(openKeyPolicy, open)).toEqual([])
  })

  test('that meets every requirement complies', () => {
    expect(pointersOf(strict, narrow)).toEqual([])
  })

  test('that meets no requirement gets an error for each member', () => {
    expect(pointersOf(strict, open)).toEqual(['/kind', '/expires_at', '/ip_allowlist'])
  })

  test.each<[what: string, change: Partial<RestrictedKey>, pointer: string]>([
    ['a millisecond too long', { expiresAt: after(30 * dayMs + 1) }, '/expires_at'],
    ['without an expiry', { expiresAt: null }, '/expires_at'],
    ['without a list', { ipAllowlist: null }, '/ip_allowlist'],
    ['with an empty list', { ipAllowlist: [] }, '/ip_allowlist'],
    ['open to every IPv4 address', { ipAllowlist: ['0.0.0.0/0'] }, '/ip_allowlist'],
    ['open to every IPv6 address', { ipAllowlist: ['203.0.113.7', '::/0'] }, '/ip_allowlist'],
    ['open by its halves', { ipAllowlist: ['0.0.0.0/1', '128.0.0.0/1'] }, '/ip_allowlist'],
    [
      'open by a union',
      { ipAllowlist: ['::/2', '10.0.0.0/8', '4000::/2', '8000::/2', 'c000::/3', 'e000::/3'] },
      '/ip_allowlist',
    ],
    ['open in mapped form', { ipAllowlist: ['::ffff:0.0.0.0/96'] }, '/ip_allowlist'],
    ['of a person', { kind: 'personal' }, '/kind'],
  ])('%s violates the policy', (_what, change, pointer) => {
    expect(pointersOf(strict, { ...narrow, ...change })).toEqual([pointer])
  })
})

test.each([
  [null, 90],
  [1, 1],
  [89, 89],
  [90, 90],
  [91, 90],
  [3_650, 90],
])(
  'with a maximum of %j days, the key of a device login expires after %d days',
  (maxLifetimeDays, days) => {
    expect(deviceKeyLifetimeMsOf({ ...openKeyPolicy, maxLifetimeDays })).toBe(days * dayMs)
  },
)
