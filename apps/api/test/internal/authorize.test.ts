import { createKeySecret, formatKeyToken } from '@hosting/core/api-keys'
import { permissions, type Role, type Scope } from '@hosting/core/scopes'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { scopeAllows, specifiedRoles } from '../../../../packages/core/test/scopes/oracle.ts'
import { useApi } from '../../../../test/support/api.ts'
import { passMidnight } from '../../../../test/support/midnight.ts'
import { makeKeyWith, putPerson, showKey, type KeyFields } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { testServiceAccess } from '../support/service-access.ts'
import { until } from '../support/until.ts'

const api = useApi()
const other = useApi()

const question = { authorization: null, ip: '203.0.113.7', method: 'GET', permission: 'sites.read' }

testServiceAccess(api, { verb: 'post', path: '/authorize', body: question })

const authorize = (token: string, members: Record<string, unknown> = {}, each = api) =>
  each.callInternal('post', '/authorize', {
    ...question,
    authorization: `Bearer ${token}`,
    ...members,
  })

const denied = { status: 403, code: 'permission_denied' }

async function makeLimitedKey(fields: KeyFields) {
  const { tenant, admin } = await api.makeAdmin()
  return { tenant, admin, ...(await makeKeyWith(api, admin.token, fields)) }
}

describe('POST /authorize', () => {
  test('200 returns the organization, the user, its roles and accounts, the key and its budget', async () => {
    const tenant = await api.makeTenant()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()].toSorted()
    const key = await tenant.makeKey({ roles: ['customer'], scopes: ['sites:read'], accounts })
    const { status, body } = await authorize(key.token)
    expect(status).toBe(200)
    expect(body).toEqual({
      tenant: { id: tenant.id, slug: `t-${tenant.id}`, name: 'Acme' },
      user: {
        id: key.userId,
        name: 'Ana',
        email: `${key.userId}@example.test`,
        kind: 'human',
      },
      roles: ['customer'],
      accounts,
      key: {
        id: key.id,
        name: expect.stringMatching(/^key /),
        kind: 'personal',
        scopes: ['sites:read'],
      },
      rate_limit: { limit: 600, remaining: 599, reset_seconds: expect.any(Number) },
    })
  })

  test('200 returns the service user of an organization key', async () => {
    const { key, token } = await makeLimitedKey({ kind: 'organization' })
    const { body } = await authorize(token, { method: 'DELETE', permission: 'servers.manage' })
    expect(body).toMatchObject({
      user: { id: key.user.id, name: 'Deploy', email: null, kind: 'service' },
      roles: ['admin'],
      accounts: 'all',
      key: { id: key.id, kind: 'organization' },
    })
  })

  test('a change of the key or its user applies to the next request on every process', async () => {
    const { tenant, admin, id, token } = await makeLimitedKey({})
    for (const each of [api, other]) expect((await authorize(token, {}, each)).status).toBe(200)
    await putPerson(api, tenant, admin.userId, { roles: ['support'] })
    const asked = { method: 'POST', permission: 'sites.manage' }
    expect(refusalOf(await authorize(token, asked, other))).toEqual(denied)
    await api.call('delete', `/api-keys/${id}`, { token })
    for (const each of [other, api]) expect((await authorize(token, {}, each)).status).toBe(401)
  })
})

describe('POST /authorize: decision', () => {
  const cases: { role: Role; scopes: Scope[]; method: string }[] = [
    { role: 'admin', scopes: ['*'], method: 'POST' },
    { role: 'admin', scopes: ['*:read'], method: 'GET' },
    { role: 'support', scopes: ['*'], method: 'GET' },
    { role: 'reseller', scopes: ['sites:read', 'jobs:write', 'accounts:read'], method: 'DELETE' },
    { role: 'customer', scopes: ['*:read', 'backups:write'], method: 'GET' },
  ]

  test.each(cases)(
    'the decision for $role with $scopes and $method matches the specification, for every permission',
    async ({ role, scopes, method }) => {
      const tenant = await api.makeTenant()
      const accounts = [await tenant.makeAccount()]
      const { token } = await tenant.makeKey({ roles: [role], scopes, accounts })
      const expected = (name: string): string => {
        if (permissions.get(name)!.sessionOnly) return 'api_key_not_allowed'
        if (!scopes.some((scope) => scopeAllows(scope, name, method))) return 'insufficient_scope'
        return specifiedRoles[role]!.includes(name) ? 'allowed' : 'permission_denied'
      }
      const names = [...permissions.keys()]
      const responses = await Promise.all(
        names.map((permission) => authorize(token, { method, permission })),
      )
      const codes = responses.map(({ status, body }) => (status === 200 ? 'allowed' : body.code))
      expect(Object.fromEntries(names.map((name, index) => [name, codes[index]]))).toEqual(
        Object.fromEntries(names.map((name) => [name, expected(name)])),
      )
    },
  )

  test('403 insufficient_scope names the required scope', async () => {
    const { token } = await makeLimitedKey({ scopes: ['sites:read'] })
    const response = await authorize(token, { method: 'PUT', permission: 'dns.manage' })
    expect(response.body.detail).toContain('dns:write')
    expect(response.headers['www-authenticate']).toContain('scope="dns:write"')
  })
})

describe('POST /authorize: accounts', () => {
  async function makeAccounts() {
    const tenant = await api.makeTenant()
    const [own, others, deleted] = [
      await tenant.makeAccount(),
      await tenant.makeAccount(),
      await tenant.makeAccount(),
    ]
    const foreign = await (await api.makeTenant()).makeAccount()
    const withRoles = (roles: Role[], accounts: string[]) => tenant.makeKey({ roles, accounts })
    return { tenant, own, others, deleted, foreign, withRoles }
  }

  test.each<Role>(['reseller', 'customer'])('a %s reaches only its own', async (role) => {
    const { own, others, deleted, foreign, withRoles } = await makeAccounts()
    const { token } = await withRoles([role], [own, deleted])
    await api.callInternal('delete', `/accounts/${deleted}`)
    for (const account_id of [own, own.toUpperCase()]) {
      const { status, body } = await authorize(token, { account_id })
      expect({ status, accounts: body.accounts }).toEqual({ status: 200, accounts: [own] })
    }
    for (const account_id of [others, deleted, foreign, randomUUID()]) {
      expect(refusalOf(await authorize(token, { account_id }))).toEqual(denied)
    }
  })

  test('an admin has access to every account of the organization and to no other', async () => {
    const { own, others, deleted, foreign, withRoles } = await makeAccounts()
    const { token } = await withRoles(['admin'], [own])
    await api.callInternal('delete', `/accounts/${deleted}`)
    for (const account_id of [own, others, others.toUpperCase(), null]) {
      const { status, body } = await authorize(token, { account_id })
      expect({ status, accounts: body.accounts }).toEqual({ status: 200, accounts: 'all' })
    }
    for (const account_id of [deleted, foreign, randomUUID()]) {
      expect(refusalOf(await authorize(token, { account_id }))).toEqual(denied)
    }
  })

  test('each of several roles grants its permissions on its own accounts', async () => {
    const { own, others, withRoles } = await makeAccounts()
    const { token } = await withRoles(['support', 'customer'], [own])
    const manage = { method: 'POST', permission: 'sites.manage' }
    expect((await authorize(token, { account_id: others })).status).toBe(200)
    expect((await authorize(token, { account_id: own, ...manage })).status).toBe(200)
    expect(refusalOf(await authorize(token, { account_id: others, ...manage }))).toEqual(denied)
    expect((await authorize(token)).body.accounts).toBe('all')
    expect((await authorize(token, manage)).body.accounts).toEqual([own])
  })

  test('a key that is limited to accounts extends no role to accounts that it does not reach', async () => {
    const { own, others, withRoles } = await makeAccounts()
    const person = await withRoles(['support', 'customer'], [own])
    const { token } = await makeKeyWith(api, person.token, { accounts: [own, others] })
    const manage = { method: 'POST', permission: 'sites.manage' }
    expect((await authorize(token, { account_id: others })).status).toBe(200)
    expect((await authorize(token, { account_id: own, ...manage })).status).toBe(200)
    expect(refusalOf(await authorize(token, { account_id: others, ...manage }))).toEqual(denied)
    expect((await authorize(token)).body.accounts.toSorted()).toEqual([own, others].toSorted())
    expect((await authorize(token, manage)).body.accounts).toEqual([own])
  })

  test('without an account_id, a role limited to accounts is permitted if it has any account', async () => {
    const { withRoles } = await makeAccounts()
    const { token } = await withRoles(['customer'], [])
    expect(refusalOf(await authorize(token))).toEqual(denied)
    const { status, body } = await authorize(token, { permission: 'apikeys.read' })
    expect({ status, accounts: body.accounts }).toEqual({ status: 200, accounts: [] })
  })

  test('a user loses access to a removed account immediately', async () => {
    const { tenant, own, withRoles } = await makeAccounts()
    const { token, userId } = await withRoles(['customer'], [own])
    for (const each of [api, other]) {
      expect((await authorize(token, { account_id: own }, each)).status).toBe(200)
    }
    await putPerson(api, tenant, userId, { roles: ['customer'], accounts: [] })
    for (const each of [other, api]) {
      expect(refusalOf(await authorize(token, { account_id: own }, each))).toEqual(denied)
    }
  })
})

describe('POST /authorize: rate limit', () => {
  beforeEach(() => passMidnight(15_000))

  test('a request costs the key one, like a request to the public API', async () => {
    const { token } = await makeLimitedKey({ rate_limit_per_minute: 5 })
    const remaining = async () => {
      const response = await authorize(token)
      const { limit, remaining: left, reset_seconds } = response.body.rate_limit
      expect(response.headers['ratelimit-policy']).toBe(`"per-key";q=${limit};w=60`)
      expect(response.headers['ratelimit']).toBe(`"per-key";r=${left};t=${reset_seconds}`)
      return left
    }
    expect(await remaining()).toBe(4)
    await api.call('get', '/auth/me', { token })
    expect(await remaining()).toBe(2)
    expect((await authorize(token, { permission: 'users.impersonate' })).status).toBe(403)
    expect(await remaining()).toBe(0)
    expect((await api.call('get', '/auth/me', { token })).status).toBe(429)
  })

  test('requests from a denied address or with a wrong secret do not count', async () => {
    const { id, token } = await makeLimitedKey({
      rate_limit_per_minute: 2,
      ip_allowlist: ['203.0.113.7'],
    })
    for (let time = 0; time < 3; time++) {
      expect((await authorize(token, { ip: '203.0.113.8' })).status).toBe(403)
      expect((await authorize(formatKeyToken(createKeySecret(id)))).status).toBe(401)
    }
    expect((await authorize(token)).body.rate_limit.remaining).toBe(1)
  })

  test('the use is recorded on the key with the given address', async () => {
    const { admin, id, token } = await makeLimitedKey({})
    await authorize(token, { ip: '::ffff:203.0.113.9' })
    const shown = await until(
      'the use is shown',
      async () => {
        const key = await showKey(api, admin.token, id)
        return key.requests_today === 1 && key.last_used_ip !== null && key
      },
      { withinMs: 10_000 },
    )
    expect(shown.last_used_ip).toBe('203.0.113.9')
  })
})

test.each<[change: Record<string, unknown>, pointer: string]>([
  [{ authorization: undefined }, '/authorization'],
  [{ authorization: 1 }, '/authorization'],
  [{ ip: undefined }, '/ip'],
  [{ ip: 'localhost' }, '/ip'],
  [{ ip: '10.0.0.0/8' }, '/ip'],
  [{ ip: 'fe80::1%eth0' }, '/ip'],
  [{ method: undefined }, '/method'],
  [{ method: 'get' }, '/method'],
  [{ method: '' }, '/method'],
  [{ permission: undefined }, '/permission'],
  [{ permission: 'sites:read' }, '/permission'],
  [{ permission: 'constructor' }, '/permission'],
  [{ account_id: 'acme' }, '/account_id'],
  [{ account: randomUUID() }, '/account'],
])('422 validation_failed for %j names %s', async (change, pointer) => {
  const { token } = await makeLimitedKey({})
  expect(refusalOf(await authorize(token, change))).toEqual(invalid(pointer))
})
