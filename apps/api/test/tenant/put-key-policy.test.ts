import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedInTenant,
  sessionOf,
  type PersonOptions,
} from '../../../../test/support/session.ts'
import { auditEntriesOf } from '../support/audit.ts'
import { openPolicy } from '../support/key-policy.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()
const path = '/tenant/key-policy'
const strict = { max_lifetime_days: 30, ip_allowlist_required: true, personal_keys_allowed: false }

const enter = (options?: PersonOptions) => makeSignedInTenant(api, options)

const storedOf = (tenantId: string) =>
  api.database.prisma.keyPolicy.findUnique({ where: { tenantId } })

describe('PUT /tenant/key-policy', () => {
  test('200 replaces the policy, and the audit log shows it before and after', async () => {
    const { tenant, person, call } = await enter()
    const response = await call('put', path, { body: strict })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ policy: strict })
    expect((await call('get', path)).body).toEqual({ policy: strict })
    const relaxed = { ...strict, max_lifetime_days: null }
    expect((await call('put', path, { body: relaxed })).body).toEqual({ policy: relaxed })
    const update = {
      action: 'key_policy.update',
      outcome: 'success',
      actorType: 'user',
      actorId: person.id,
      targetId: tenant.id,
    }
    expect(await auditEntriesOf(api, tenant.id)).toMatchObject([
      { ...update, details: { before: openPolicy, after: strict } },
      { ...update, details: { before: strict, after: relaxed } },
    ])
  })

  test.each([1, 3_650, null])('200 for a lifetime of %j days', async (max_lifetime_days) => {
    const { call } = await enter()
    const body = { ...strict, max_lifetime_days }
    expect((await call('put', path, { body })).status).toBe(200)
  })

  const invalidLifetimes = [0, 3_651, -1, 1.5, '30', true]
  test.each<[change: Record<string, unknown>, ...pointers: string[]]>([
    ...invalidLifetimes.map((max_lifetime_days): [Record<string, unknown>, string] => [
      { max_lifetime_days },
      '/max_lifetime_days',
    ]),
    [{ max_lifetime_days: undefined }, '/max_lifetime_days'],
    [{ ip_allowlist_required: undefined }, '/ip_allowlist_required'],
    [{ ip_allowlist_required: null }, '/ip_allowlist_required'],
    [{ personal_keys_allowed: undefined }, '/personal_keys_allowed'],
    [{ personal_keys_allowed: 'yes' }, '/personal_keys_allowed'],
    [{ scopes: ['*'] }, '/scopes'],
  ])('422 for %j, and nothing changes', async (change, ...pointers) => {
    const { tenant, call } = await enter()
    const response = await call('put', path, { body: { ...strict, ...change } })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
    expect(await storedOf(tenant.id)).toBeNull()
  })
})

describe('PUT /tenant/key-policy: access', () => {
  test('401 authentication_required without a session', async () => {
    expect(refusalOf(await api.call('put', path, { body: strict }))).toEqual({
      status: 401,
      code: 'authentication_required',
    })
  })

  test('403 api_key_not_allowed for a key with all scopes', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    expect(refusalOf(await api.call('put', path, { token, body: strict }))).toEqual({
      status: 403,
      code: 'api_key_not_allowed',
    })
  })

  test('403 csrf_failed without the CSRF token', async () => {
    const { person } = await enter()
    const response = await api.call('put', path, {
      body: strict,
      headers: { cookie: person.cookie },
    })
    expect(refusalOf(response)).toEqual({ status: 403, code: 'csrf_failed' })
  })

  test.each(['support', 'reseller', 'customer'] as const)(
    '403 permission_denied for the role %s',
    async (role) => {
      const { call } = await enter({ roles: [role] })
      expect(refusalOf(await call('put', path, { body: strict }))).toEqual({
        status: 403,
        code: 'permission_denied',
      })
    },
  )

  test('403 reauthentication_required without a recent confirmation, before the body is checked', async () => {
    const { tenant, person } = await enter()
    const stale = await makeSession(api, person.id, { confirmedMsAgo: 301_000 })
    for (const body of [strict, {}]) {
      expect(refusalOf(await callWith(api, stale)('put', path, { body }))).toEqual({
        status: 403,
        code: 'reauthentication_required',
      })
    }
    expect(await storedOf(tenant.id)).toBeNull()
  })

  test('409 conflict while impersonating', async () => {
    const { tenant, call } = await enter()
    const colleague = await makePerson(api, tenant)
    const started = await call('post', '/auth/impersonation', { body: { user_id: colleague.id } })
    const response = await callWith(api, sessionOf(started))('put', path, { body: strict })
    expect(refusalOf(response)).toEqual({ status: 409, code: 'conflict' })
    expect(await storedOf(tenant.id)).toBeNull()
  })

  test('a repeated Idempotency-Key changes nothing', async () => {
    const { tenant, call } = await enter()
    const headers = { 'idempotency-key': 'policy-1' }
    await call('put', path, { body: strict, headers })
    const again = await call('put', path, { body: strict, headers })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toEqual({ policy: strict })
    expect(await auditEntriesOf(api, tenant.id)).toHaveLength(1)
  })
})
