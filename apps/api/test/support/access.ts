import { createKeySecret, createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { roles, type Role, type Scope } from '@hosting/core/scopes'
import { describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi, type TestApi, type TestTenant } from '../../../../test/support/api.ts'
import { refusalOf } from './refusals.ts'

/** A request that gets past the guard of its route if its caller may make it. */
export interface GuardedRequest {
  readonly verb: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string
  readonly body?: unknown
}

/** Who may make it. */
export interface Guard {
  /** The least scope, as the refusal names it. */
  readonly scope: Scope
  readonly covering: readonly (readonly Scope[])[]
  readonly lacking: readonly (readonly Scope[])[]
  readonly roles: readonly Role[]
}

/** The guard of what reads webhooks. */
export const readsWebhooks: Guard = {
  scope: 'webhooks:read',
  covering: [['webhooks:read'], ['webhooks:write'], ['*:read'], ['*']],
  lacking: [[], ['sites:write'], ['apikeys:read', 'audit:write']],
  roles: ['admin', 'support'],
}

/** The guard of what changes webhooks. */
export const managesWebhooks: Guard = {
  scope: 'webhooks:write',
  covering: [['webhooks:write'], ['sites:read', 'webhooks:write'], ['*']],
  lacking: [[], ['webhooks:read'], ['*:read'], ['sites:write', 'apikeys:write']],
  roles: ['admin'],
}

/** The tests of a route that any working key may call. */
export function testAuthentication(api: TestApi, { verb, path, body }: GuardedRequest): void {
  describe('credentials', () => {
    test('401 authentication_required without credentials', async () => {
      const response = await api.call(verb, path, { body })
      expect(refusalOf(response)).toEqual({ status: 401, code: 'authentication_required' })
      expect(response.headers['www-authenticate']).toBe('Bearer')
    })

    test.each(Object.entries(badKeys))(
      '401 invalid_api_key, always the same, for a key that %s',
      async (_state, makeBadKey) => {
        const token = await makeBadKey(api, await api.makeTenant())
        expect(invalidKeyOf(await api.call(verb, path, { token, body }))).toEqual(invalidKey)
      },
    )

    test.each(['', 'Bearer', 'Bearer two words', 'Basic dTpw', 'Token x'])(
      '401 invalid_api_key for the credentials %j',
      async (authorization) => {
        const response = await api.call(verb, path, { body, headers: { authorization } })
        expect(invalidKeyOf(response)).toEqual(invalidKey)
      },
    )
  })
}

/** The tests of a route that a permission guards. */
export function testAccess(api: TestApi, request: GuardedRequest, guard: Guard): void {
  const { verb, path, body } = request
  testAuthentication(api, request)

  describe('scopes and roles', () => {
    test.each(guard.lacking.map((scopes) => ({ scopes })))(
      `403 insufficient_scope names ${guard.scope} to a key with $scopes`,
      async ({ scopes }) => {
        const { token } = await (await api.makeTenant()).makeKey({ scopes })
        const response = await api.call(verb, path, { token, body })
        expect(refusalOf(response)).toEqual({ status: 403, code: 'insufficient_scope' })
        expect(response.body.detail).toContain(guard.scope)
      },
    )

    test.each(guard.covering.map((scopes) => ({ scopes })))(
      'a key with $scopes is allowed',
      async ({ scopes }) => {
        const { token } = await (await api.makeTenant()).makeKey({ scopes })
        const { status } = await api.call(verb, path, { token, body })
        expect([401, 403]).not.toContain(status)
      },
    )

    test.each(guard.roles)('the role %s is allowed', async (role) => {
      const { token } = await (await api.makeTenant()).makeKey({ roles: [role] })
      const { status } = await api.call(verb, path, { token, body })
      expect([401, 403]).not.toContain(status)
    })

    for (const role of roles.filter((candidate) => !guard.roles.includes(candidate))) {
      test(`403 permission_denied for the role ${role}, whatever the scopes`, async () => {
        const tenant = await api.makeTenant()
        const accounts = [await tenant.makeAccount()]
        const { token } = await tenant.makeKey({ roles: [role], accounts, scopes: ['*'] })
        const response = await api.call(verb, path, { token, body })
        expect(refusalOf(response)).toEqual({ status: 403, code: 'permission_denied' })
      })
    }

    test('403 permission_denied for a user without a role', async () => {
      const { token } = await (await api.makeTenant()).makeKey({ roles: [] })
      const response = await api.call(verb, path, { token, body })
      expect(refusalOf(response)).toEqual({ status: 403, code: 'permission_denied' })
    })

    test('403 insufficient_scope takes precedence over permission_denied', async () => {
      const { token } = await (
        await api.makeTenant()
      ).makeKey({ roles: ['customer'], scopes: ['sites:write'] })
      const response = await api.call(verb, path, { token, body })
      expect(refusalOf(response)).toEqual({ status: 403, code: 'insufficient_scope' })
    })
  })
}

/** The tests of a route that needs the secrets store, on an installation without one. */
export function testSecretsStore({ verb, path }: GuardedRequest): void {
  describe('without a secrets store', () => {
    const api = useApi({ SECRETS_KEYRING: '' })
    const body = { unknown: 'member' }

    test('503 webhooks_unavailable, before the request is read', async () => {
      const { token } = await (await api.makeTenant()).makeKey()
      const response = await api.call(verb, `${path}?unknown=parameter`, { token, body })
      expect(refusalOf(response)).toEqual({ status: 503, code: 'webhooks_unavailable' })
    })

    test('401 takes precedence', async () => {
      const response = await api.call(verb, path, { token: 'nonsense', body })
      expect(refusalOf(response)).toEqual({ status: 401, code: 'invalid_api_key' })
    })

    test('403 insufficient_scope and permission_denied take precedence', async () => {
      const tenant = await api.makeTenant()
      const scopeless = await tenant.makeKey({ scopes: ['sites:read'] })
      expect(refusalOf(await api.call(verb, path, { token: scopeless.token, body }))).toEqual({
        status: 403,
        code: 'insufficient_scope',
      })
      const powerless = await tenant.makeKey({ roles: ['customer'] })
      expect(refusalOf(await api.call(verb, path, { token: powerless.token, body }))).toEqual({
        status: 403,
        code: 'permission_denied',
      })
    })
  })
}

const invalidKey = {
  status: 401,
  challenge: 'Bearer error="invalid_token"',
  problem: {
    type: '/problems/invalid_api_key',
    title: 'Invalid API key',
    status: 401,
    detail: 'The API key is malformed, unknown, expired or revoked.',
    code: 'invalid_api_key',
  },
}

function invalidKeyOf({ status, headers, body }: Response): typeof invalidKey {
  const { instance: _path, request_id: _id, ...problem } = body as Record<string, unknown>
  return {
    status,
    challenge: headers['www-authenticate'] as string,
    problem: problem as (typeof invalidKey)['problem'],
  }
}

const badKeys: Record<string, (api: TestApi, tenant: TestTenant) => Promise<string>> = {
  'is malformed': () => Promise.resolve('hctl_nonsense'),
  'has a wrong checksum': async (_api, tenant) => {
    const { token } = await tenant.makeKey()
    return token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
  },
  'is unknown': () => Promise.resolve(formatKeyToken(createKeyToken())),
  'has the wrong secret': async (_api, tenant) =>
    formatKeyToken(createKeySecret((await tenant.makeKey()).id)),
  'has expired': async (_api, tenant) =>
    (await tenant.makeKey({ expiresAt: new Date(Date.now() - 1) })).token,
  'is revoked': async (api, tenant) => {
    const { id, token } = await tenant.makeKey()
    await api.call('delete', `/api-keys/${id}`, { token })
    return token
  },
  'has the secret of before a rotation': async (api, tenant) => {
    const { id, token } = await tenant.makeKey()
    await api.call('post', `/api-keys/${id}/rotate`, { token })
    return token
  },
  'belongs to a deactivated user': async (api, tenant) => {
    const key = await tenant.makeKey()
    await api.callInternal('put', `/users/${key.userId}`, {
      tenant_id: tenant.id,
      email: `${key.userId}@example.test`,
      name: 'Ana',
      status: 'deactivated',
      roles: ['admin'],
      accounts: [],
    })
    return key.token
  },
  'belongs to a deleted user': async (api, tenant) => {
    const key = await tenant.makeKey()
    await api.callInternal('delete', `/users/${key.userId}`)
    return key.token
  },
  'belongs to a deleted organization': async (api, tenant) => {
    const key = await tenant.makeKey()
    await api.callInternal('delete', `/tenants/${tenant.id}`)
    return key.token
  },
}
