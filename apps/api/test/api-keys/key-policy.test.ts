import { checkKeyPolicy } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makeSession } from '../../../../test/support/session.ts'
import { toKeyPolicyRecord } from '../../src/api/use-cases/key-policy.ts'
import {
  inDays,
  openPolicy,
  setPolicy,
  type PolicyView,
  narrowList,
  usePolicies,
  violation,
} from '../support/key-policy.ts'
import { makeKeyWith, statusWith, type KeyFields, type KeyView } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { wideLists } from '../support/wide-allowlists.ts'

const api = useApi()
const other = useApi()

const { asAdmin, create } = usePolicies(api)
const dayMs = 86_400_000

describe('POST /api-keys under a key policy', () => {
  test('422 names every member that violates the policy, and no key is created', async () => {
    const { tenant, token } = await asAdmin({
      max_lifetime_days: 30,
      ip_allowlist_required: true,
      personal_keys_allowed: false,
    })
    const refused = violation('/kind', '/expires_at', '/ip_allowlist')
    expect(refusalOf(await create(token, {}))).toEqual(refused)
    const explicit: KeyFields = { kind: 'personal', expires_at: inDays(31), ip_allowlist: null }
    expect(refusalOf(await create(token, explicit))).toEqual(refused)
    const fine: KeyFields = { kind: 'organization', expires_at: inDays(29), ...narrowList }
    expect((await create(token, fine)).status).toBe(201)
    expect(await api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } })).toBe(2)
  })

  test.each<[policy: Partial<PolicyView>, fine: KeyFields, refused: KeyFields, pointer: string]>([
    [
      { max_lifetime_days: 1 },
      { expires_at: inDays(0.9) },
      { expires_at: inDays(1.1) },
      '/expires_at',
    ],
    [{ max_lifetime_days: 3_650 }, { expires_at: inDays(3_649) }, {}, '/expires_at'],
    [{ ip_allowlist_required: true }, narrowList, { kind: 'organization' }, '/ip_allowlist'],
    [{ personal_keys_allowed: false }, { kind: 'organization' }, { kind: 'personal' }, '/kind'],
  ])('%j permits %j and refuses %j', async (policy, fine, refused, pointer) => {
    const { token } = await asAdmin(policy)
    expect((await create(token, fine)).status).toBe(201)
    expect(refusalOf(await create(token, refused))).toEqual(violation(pointer))
  })

  test.each([
    [['0.0.0.0/0']],
    [['127.0.0.1', '::/0']],
    [['0.0.0.0/1', '128.0.0.0/1']],
    [['::/1', '8000::/2', 'c000::/2', '203.0.113.0/24']],
    [['::ffff:0.0.0.0/96']],
  ])(
    'an allowlist that permits every address, %j, does not satisfy ip_allowlist_required',
    async (ip_allowlist) => {
      const { token } = await asAdmin({ ip_allowlist_required: true })
      expect(refusalOf(await create(token, { ip_allowlist }))).toEqual(violation('/ip_allowlist'))
      const narrower = ip_allowlist.map((entry) => entry.replace('::/0', '::/1')).slice(0, 1)
      const almost =
        ip_allowlist.length > 1 ? narrower : ['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/3']
      expect((await create(token, { ip_allowlist: almost })).status).toBe(201)
    },
  )

  test('the lifetime is `expires_at` minus `created_at` of the response', async () => {
    const { token } = await asAdmin({ max_lifetime_days: 1 })
    const { key } = (await create(token, { expires_at: inDays(1) })).body
    expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).toBeLessThanOrEqual(dayMs)
    expect(key.updated_at).toBe(key.created_at)
    expect(refusalOf(await create(token, { expires_at: inDays(1 + 1 / 24) }))).toEqual(
      violation('/expires_at'),
    )
  })

  test('`validation_failed` and `api_key_wider_than_caller` take precedence over a violation', async () => {
    const { tenant, token } = await asAdmin({ ip_allowlist_required: false })
    const limited = await makeKeyWith(api, token, { scopes: ['apikeys:write'] })
    await setPolicy(api, tenant, { ip_allowlist_required: true })
    const past = new Date(Date.now() - 1_000).toISOString()
    expect(refusalOf(await create(limited.token, { expires_at: past }))).toEqual(
      invalid('/expires_at'),
    )
    expect(refusalOf(await create(limited.token, { scopes: ['dns:read'] }))).toEqual({
      status: 403,
      code: 'api_key_wider_than_caller',
    })
    expect(refusalOf(await create(limited.token, { scopes: ['apikeys:read'] }))).toEqual(
      violation('/ip_allowlist'),
    )
  })

  test('a violation takes precedence over `api_key_limit_reached`', async () => {
    const { tenant, admin, token } = await asAdmin()
    await api.database.pool.query(
      `INSERT INTO api_keys (id, tenant_id, user_id, kind, source, name)
       SELECT 'a' || lpad(translate(n::text, '0189', 'abcd'), 11, 'z'), $1, $2, 'personal', 'api', 'Key'
       FROM generate_series(1, 99) AS n`,
      [tenant.id, admin.userId],
    )
    expect(refusalOf(await create(token, {}))).toEqual({
      status: 409,
      code: 'api_key_limit_reached',
    })
    await setPolicy(api, tenant, { ip_allowlist_required: true })
    expect(refusalOf(await create(token, {}))).toEqual(violation('/ip_allowlist'))
  })

  test('the policy applies to keys that people create in a session', async () => {
    const { tenant, admin } = await asAdmin({ max_lifetime_days: 7 })
    const session = await makeSession(api, admin.userId)
    const body = { name: 'Key', scopes: ['*'] }
    const response = await callWith(api, session)('post', '/api-keys', { body })
    expect(refusalOf(response)).toEqual(violation('/expires_at'))
    await setPolicy(api, tenant, {})
    expect((await callWith(api, session)('post', '/api-keys', { body })).status).toBe(201)
  })

  test('the policy does not apply to keys of other organizations', async () => {
    await asAdmin({ personal_keys_allowed: false })
    expect((await create((await asAdmin()).token, {})).status).toBe(201)
  })
})

/** A key that violates the policy, which was set after its creation. */
async function makeViolator(policy: Partial<PolicyView>, fields: KeyFields = {}) {
  const { tenant, token } = await asAdmin()
  const key = await makeKeyWith(api, token, fields)
  await setPolicy(api, tenant, policy)
  return { tenant, owner: token, ...key }
}

describe('existing keys under a key policy', () => {
  const strict = {
    max_lifetime_days: 30,
    ip_allowlist_required: true,
    personal_keys_allowed: false,
  }

  test('keep working, and can be renamed, narrowed and revoked', async () => {
    const { id, owner, token } = await makeViolator(strict)
    expect(await statusWith(other, token)).toBe(200)
    const body = { name: 'Renamed', scopes: ['sites:read'], rate_limit_per_minute: 5 }
    expect((await api.call('patch', `/api-keys/${id}`, { token, body })).status).toBe(200)
    expect((await api.call('delete', `/api-keys/${id}`, { token: owner })).status).toBe(204)
  })

  test.each<[policy: Partial<PolicyView>, pointer: string]>([
    [{ max_lifetime_days: 30 }, '/expires_at'],
    [{ ip_allowlist_required: true }, '/ip_allowlist'],
    [{ personal_keys_allowed: false }, '/kind'],
  ])('422 when one is rotated under %j, and its token stays valid', async (policy, pointer) => {
    const { tenant, token, id } = await makeViolator(policy)
    const rotate = () => api.call('post', `/api-keys/${id}/rotate`, { token })
    expect(refusalOf(await rotate())).toEqual(violation(pointer))
    expect(await statusWith(api, token)).toBe(200)
    await setPolicy(api, tenant, openPolicy)
    expect((await rotate()).status).toBe(200)
  })

  test('422 if a key is enabled; 200 if it is disabled or already enabled', async () => {
    const { tenant, id, owner } = await makeViolator({ ip_allowlist_required: true })
    const setEnabled = (enabled: boolean) =>
      api.call('patch', `/api-keys/${id}`, { token: owner, body: { enabled } })
    expect((await setEnabled(true)).status).toBe(200)
    expect((await setEnabled(false)).status).toBe(200)
    expect(refusalOf(await setEnabled(true))).toEqual(violation('/ip_allowlist'))
    await setPolicy(api, tenant, openPolicy)
    expect((await setEnabled(true)).status).toBe(200)
  })

  test('422 if a required allowlist is removed; 200 if its entries change', async () => {
    const { id, owner } = await makeViolator({ ip_allowlist_required: true }, narrowList)
    const patch = (body: object) => api.call('patch', `/api-keys/${id}`, { token: owner, body })
    expect(refusalOf(await patch({ ip_allowlist: null }))).toEqual(violation('/ip_allowlist'))
    expect((await patch({ ip_allowlist: ['127.0.0.1'] })).status).toBe(200)
  })

  test('422 if the allowlist changes on a key that violates another rule', async () => {
    const { id, token } = await makeViolator({ max_lifetime_days: 30 }, narrowList)
    const patch = (body: object) => api.call('patch', `/api-keys/${id}`, { token, body })
    expect(refusalOf(await patch({ ip_allowlist: ['127.0.0.1'] }))).toEqual(
      violation('/expires_at'),
    )
    expect((await patch({ ...narrowList, name: 'the same list' })).status).toBe(200)
  })
})

describe('GET /api-keys?violates_policy=true', () => {
  test('lists the valid keys that the policy would refuse now, without revoked and expired ones', async () => {
    const { tenant, admin, token } = await asAdmin()
    const make = async (fields: KeyFields) => (await makeKeyWith(api, token, fields)).id
    const fine = { expires_at: inDays(29), ...narrowList }
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
        for (const fields of [{}, narrowList])
          await makeKeyWith(api, token, { kind, ...expiry, ...fields })
      }
    }
    for (const ip_allowlist of wideLists) await makeKeyWith(api, token, { ip_allowlist })
    const keys: KeyView[] = (await api.call('get', '/api-keys', { token })).body.items
    expect(keys).toHaveLength(17 + wideLists.length)
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
    ipAllowlist: ip_allowlist,
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
