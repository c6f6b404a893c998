import { checkKeyPolicy } from '@hosting/core'
import { describe, expect, test } from '@jest/globals'
import { toKeyPolicyRecord } from '../../src/records/key-policy.ts'
import { inDays, setPolicy } from '../support/key-policy.ts'
import { makeKeyWith, type KeyFields, type KeyView } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { api, asAdmin } from '../support/key-policies.ts'

const list = { ip_allowlist: ['127.0.0.1', '203.0.113.7'] }

describe('GET /api-keys?violates_policy=true', () => {
  test('lists the keys that would be refused now, without revoked and expired ones', async () => {
    const { tenant, admin, token } = await asAdmin()
    const make = async (fields: KeyFields) => (await makeKeyWith(api, token, fields)).id
    const fine = { expires_at: inDays(29), ...list }
    const organization: KeyFields = { kind: 'organization', ...fine }
    const violators = [
      await make(fine),
      await make({ ...organization, expires_at: inDays(31) }),
      await make({ ...organization, expires_at: null }),
      await make({ ...organization, ip_allowlist: null }),
    ]
    await make(organization)
    const revoked = await make({})
    await api.call('delete', `/api-keys/${revoked}`, { token })
    const expired = await make({ expires_at: inDays(1) })
    await api.database.pool.query(
      `UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`,
      [expired],
    )
    expect(await violatorsOf(token)).toEqual([])
    await setPolicy(api, tenant, {
      max_lifetime_days: 30,
      ip_allowlist_required: true,
      personal_keys_allowed: false,
    })
    expect(await violatorsOf(token)).toEqual([...violators.toReversed(), admin.id])
  })

  test('lists exactly the keys that `checkKeyPolicy` finds, under every policy', async () => {
    const { tenant, token } = await asAdmin()
    for (const kind of ['personal', 'organization'] as const) {
      for (const days of [1, 29, 31, undefined]) {
        const expiry = days === undefined ? {} : { expires_at: inDays(days) }
        for (const fields of [{}, list])
          await makeKeyWith(api, token, { kind, ...expiry, ...fields })
      }
    }
    const keys: KeyView[] = (await api.call('get', '/api-keys', { token })).body.items
    expect(keys).toHaveLength(17)
    for (const maxLifetimeDays of [null, 1, 30, 3_650]) {
      for (const ipAllowlistRequired of [false, true]) {
        for (const personalKeysAllowed of [false, true]) {
          const policy = { maxLifetimeDays, ipAllowlistRequired, personalKeysAllowed }
          await setPolicy(api, tenant, toKeyPolicyRecord(policy))
          const found = keys.filter((key) => checkKeyPolicy(policy, toRestricted(key)).length > 0)
          expect(await violatorsOf(token)).toEqual(found.map(({ id }) => id))
        }
      }
    }
  })

  const toRestricted = ({ kind, created_at, expires_at, ip_allowlist }: KeyView) => ({
    kind,
    createdAt: new Date(created_at),
    expiresAt: expires_at === null ? null : new Date(expires_at),
    hasAllowlist: ip_allowlist !== null,
  })

  test('422 for any other value', async () => {
    const { token } = await asAdmin()
    for (const value of ['false', '1', '']) {
      const response = await api.call('get', `/api-keys?violates_policy=${value}`, { token })
      expect(refusalOf(response)).toEqual(invalid('/violates_policy'))
    }
  })

  const violatorsOf = async (token: string) => {
    const { body } = await api.call('get', '/api-keys?violates_policy=true', { token })
    return body.items.map(({ id }: { id: string }) => id)
  }
})
