import { sealHash } from '@hosting/core/audit'
import { expect, test } from '@jest/globals'
import { toSealable } from '../../src/audit/sealed-entry.ts'

// The expected value was computed with another implementation of HMAC-SHA-256. Stored chains depend on it.
test('the seal of an entry never changes, whichever columns are added later', () => {
  const row = toSealable({
    id: '0190a1b2-0000-7000-8000-000000000001',
    tenantId: '0190a1b2-0000-7000-8000-000000000002',
    occurredAt: new Date('2026-01-02T03:04:05.678Z'),
    action: 'api_key.create',
    outcome: 'success',
    reason: null,
    actorType: 'user',
    actorId: '0190a1b2-0000-7000-8000-000000000003',
    actorName: 'Ana',
    actorKeyId: null,
    targetType: 'api_key',
    targetId: 'abcdefghijkl',
    ip: '203.0.113.7',
    requestId: '0190a1b2-0000-7000-8000-000000000004',
    details: { scopes: ['sites:read'] },
  })
  const sealed = { previous: Buffer.alloc(32, 2), sequence: 7n, row }
  expect(sealHash(Buffer.alloc(32, 1), sealed).toString('hex')).toBe(
    '58ba18e65f5696bbbb975930d9bbc7ab79585aaefeac4716f30ad49e66c37fbd',
  )
})
