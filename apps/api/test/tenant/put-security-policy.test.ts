import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedInTenant,
  sessionOf,
  setSecondFactor,
  type PersonOptions,
} from '../../../../test/support/session.ts'
import { auditEntriesOf } from '../support/audit.ts'
import { addPasskey, withPasskeys } from '../support/passkeys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { openSecurityPolicyView, type SecurityPolicyView } from '../support/security-policy.ts'

const api = useApi(withPasskeys)
const path = '/tenant/security-policy'
const conflict = { status: 409, code: 'conflict' }
const dayMs = 86_400_000
const daysAhead = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

const strict: SecurityPolicyView = {
  second_factor_required: true,
  second_factor_from: null,
  device_login: 'admins',
  device_login_same_network: true,
}
const withoutFactor = { ...strict, second_factor_required: false }

const enter = (options?: PersonOptions) => makeSignedInTenant(api, options)

const storedOf = (tenantId: string) =>
  api.database.prisma.securityPolicy.findUnique({ where: { tenantId } })

describe('PUT /tenant/security-policy', () => {
  test('200 replaces the policy, and the audit log shows it before and after', async () => {
    const { tenant, person, call } = await enter()
    await addPasskey(api, person)
    await setSecondFactor(api, { id: person.sessionId })
    const response = await call('put', path, { body: strict })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ policy: strict })
    expect((await call('get', path)).body).toEqual({ policy: strict })
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'security_policy.update',
      outcome: 'success',
      actorId: person.id,
      targetId: tenant.id,
      details: { before: openSecurityPolicyView, after: strict },
    })
  })

  test('200 for a date in the past or up to 30 days ahead, 422 for a later one', async () => {
    const { tenant, person, call } = await enter()
    await addPasskey(api, person)
    await setSecondFactor(api, { id: person.sessionId })
    const put = (second_factor_from: string) =>
      call('put', path, { body: { ...strict, second_factor_from } })
    for (const from of [daysAhead(29.99), daysAhead(-400)]) {
      expect((await put(from)).body.policy.second_factor_from).toBe(from)
    }
    expect(refusalOf(await put(daysAhead(30.01)))).toEqual(invalid('/second_factor_from'))
    expect((await storedOf(tenant.id))!.secondFactorFrom!.getTime()).toBeLessThan(Date.now())
  })

  test('409 conflict if an admin without a second factor requires one, now or later; other changes are allowed', async () => {
    const { tenant, call } = await enter()
    for (const second_factor_from of [null, daysAhead(7)]) {
      const body = { ...strict, second_factor_from }
      expect(refusalOf(await call('put', path, { body }))).toEqual(conflict)
    }
    expect(await storedOf(tenant.id)).toBeNull()
    expect((await call('put', path, { body: withoutFactor })).status).toBe(200)
  })

  test.each<[change: Record<string, unknown>, pointer: string]>([
    [{ second_factor_required: undefined }, '/second_factor_required'],
    [{ second_factor_required: 'yes' }, '/second_factor_required'],
    [{ second_factor_from: undefined }, '/second_factor_from'],
    [{ second_factor_from: 'tomorrow' }, '/second_factor_from'],
    [{ device_login: undefined }, '/device_login'],
    [{ device_login: 'nobody' }, '/device_login'],
    [{ device_login_same_network: undefined }, '/device_login_same_network'],
    [{ device_login_same_network: null }, '/device_login_same_network'],
    [{ max_lifetime_days: 30 }, '/max_lifetime_days'],
  ])('422 for %j, and nothing changes', async (change, pointer) => {
    const { tenant, call } = await enter()
    const response = await call('put', path, { body: { ...withoutFactor, ...change } })
    expect(refusalOf(response)).toEqual(invalid(pointer))
    expect(await storedOf(tenant.id)).toBeNull()
  })
})

describe('PUT /tenant/security-policy: access', () => {
  test('401 without a session; 403 for a key, without the CSRF token and without a recent confirmation', async () => {
    const { tenant, person } = await enter()
    const { token } = await tenant.makeKey()
    const body = withoutFactor
    expect(refusalOf(await api.call('put', path, { body })).code).toBe('authentication_required')
    expect(refusalOf(await api.call('put', path, { body, token })).code).toBe('api_key_not_allowed')
    const headers = { cookie: person.cookie }
    expect(refusalOf(await api.call('put', path, { body, headers })).code).toBe('csrf_failed')
    const stale = await makeSession(api, person.id, { confirmedMsAgo: 301_000 })
    expect(refusalOf(await callWith(api, stale)('put', path, { body })).code).toBe(
      'reauthentication_required',
    )
  })

  test.each(['support', 'reseller', 'customer'] as const)(
    '403 permission_denied for the role %s',
    async (role) => {
      const { call } = await enter({ roles: [role] })
      expect(refusalOf(await call('put', path, { body: withoutFactor })).code).toBe(
        'permission_denied',
      )
    },
  )

  test('409 conflict while impersonating', async () => {
    const { tenant, person, call } = await enter()
    await addPasskey(api, person)
    const colleague = await makePerson(api, tenant)
    const started = await call('post', '/auth/impersonation', { body: { user_id: colleague.id } })
    const response = await callWith(api, sessionOf(started))('put', path, { body: withoutFactor })
    expect(refusalOf(response)).toEqual(conflict)
  })
})
