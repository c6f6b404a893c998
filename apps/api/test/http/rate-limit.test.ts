import { createKeySecret, createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi, type CallOptions } from '../../../../test/support/api.ts'
import { makeKeyWith, statusWith, type KeyFields } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1' })
const other = useApi()

async function makeKey(fields: KeyFields = {}) {
  const { tenant, admin } = await api.makeAdmin()
  return { tenant, admin, ...(await makeKeyWith(api, admin.token, fields)) }
}

/**
 * The budget in the headers of a response; throws unless the fields are exactly as
 * docs/specification/requests.md#rate-limit-of-a-key states.
 */
function budgetOf({ headers }: Response) {
  const policy = /^"per-key";q=([1-9]\d*);w=60$/.exec(headers['ratelimit-policy'] as string)
  const state = /^"per-key";r=(0|[1-9]\d*);t=(0|[1-9]\d*)$/.exec(headers['ratelimit'] as string)
  if (!policy || !state) throw new Error(`No budget: ${JSON.stringify(headers)}`)
  return { limit: Number(policy[1]), remaining: Number(state[1]), seconds: Number(state[2]) }
}

describe('rate limit headers', () => {
  type Verb = 'get' | 'post' | 'patch' | 'delete'
  const missing = `/api-keys/${createKeyToken().id}`
  const cases: [status: number, verb: Verb, path: string, options: CallOptions][] = [
    [200, 'get', '/auth/me', {}],
    [201, 'post', '/api-keys', { body: { name: 'x', scopes: ['*'], rate_limit_per_minute: 9 } }],
    [400, 'post', '/api-keys', { body: '{', headers: { 'content-type': 'application/json' } }],
    [404, 'get', missing, {}],
    [404, 'get', '/api-keys/nonsense', {}],
    [404, 'get', '/nothing', {}],
    [404, 'post', '/auth/me/more', {}],
    [405, 'delete', '/auth/me', {}],
    [415, 'post', '/api-keys', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    [422, 'post', '/api-keys', { body: {} }],
    [422, 'get', '/api-keys?limit=0', {}],
    [422, 'delete', missing, { headers: { 'idempotency-key': 'a\tb' } }],
  ]

  test.each(cases)(
    'are on a %i of %s %s, which costs one request',
    async (status, verb, path, options) => {
      const { token } = await makeKey({ rate_limit_per_minute: 9 })
      for (const remaining of [8, 7]) {
        const response = await api.call(verb, path, { token, ...options })
        expect(response.status).toBe(status)
        expect(budgetOf(response)).toMatchObject({ limit: 9, remaining })
        expect(budgetOf(response).seconds).toBeGreaterThan(0)
        expect(budgetOf(response).seconds).toBeLessThanOrEqual(60)
        expect(response.headers).not.toHaveProperty('retry-after')
      }
    },
  )

  test.each(['/nothing', '/auth/me/more'])(
    'an unknown path, %s, is 404 within the limit, 429 beyond it, and 401 with an invalid key',
    async (path) => {
      const { token, id } = await makeKey({ rate_limit_per_minute: 1 })
      expect((await api.call('get', path, { token })).status).toBe(404)
      const refused = await api.call('get', path, { token })
      expect(refused.body).toMatchObject({
        status: 429,
        code: 'rate_limited',
        instance: `/api/v1${path}`,
      })
      expect(refused.headers).toHaveProperty('retry-after')
      const wrong = await api.call('get', path, { token: formatKeyToken(createKeySecret(id)) })
      expect(wrong.body).toMatchObject({ status: 401, code: 'invalid_api_key' })
      expect((await api.call('get', path)).status).toBe(404)
    },
  )

  test.each([
    ['insufficient_scope', { scopes: ['sites:read'] }],
    ['permission_denied', { scopes: ['*'] }],
  ])('are on a 403 %s, which costs one request', async (code, fields) => {
    const tenant = await api.makeTenant()
    const person = await tenant.makeKey({ roles: ['customer'] })
    const { token } = await makeKeyWith(api, person.token, { ...fields, rate_limit_per_minute: 3 })
    for (const remaining of [2, 1]) {
      const response = await api.call('get', '/webhooks', { token })
      expect(response.body.code).toBe(code)
      expect(budgetOf(response)).toMatchObject({ limit: 3, remaining })
    }
  })

  test('show 600 for a key without its own limit', async () => {
    const { token } = await makeKey()
    expect(budgetOf(await api.call('get', '/auth/me', { token }))).toMatchObject({
      limit: 600,
      remaining: 599,
    })
  })

  test('are absent without a valid key', async () => {
    const { id } = await makeKey()
    const wrong = formatKeyToken(createKeySecret(id))
    const expired = await (await api.makeTenant()).makeKey({ expiresAt: new Date(Date.now() - 1) })
    for (const token of [undefined, 'nonsense', wrong, expired.token]) {
      const { status, headers } = await api.call('get', '/auth/me', token ? { token } : {})
      expect(status).toBe(401)
      expect(headers).not.toHaveProperty('ratelimit')
      expect(headers).not.toHaveProperty('ratelimit-policy')
    }
  })
})

describe('requests that cost nothing', () => {
  test('a wrong secret, a denied address and a 429', async () => {
    const { id, token } = await makeKey({ rate_limit_per_minute: 2, ip_allowlist: ['127.0.0.1'] })
    const elsewhere = { token, headers: { 'x-forwarded-for': '203.0.113.7' } }
    for (let time = 0; time < 3; time++) {
      expect(await statusWith(api, formatKeyToken(createKeySecret(id)))).toBe(401)
      const denied = await api.call('get', '/auth/me', elsewhere)
      expect(refusalOf(denied)).toEqual({ status: 403, code: 'api_key_ip_denied' })
      expect(budgetOf(denied)).toEqual({ limit: 2, remaining: 2, seconds: 0 })
    }
    expect(await statusWith(api, token)).toBe(200)
    expect(await statusWith(api, token)).toBe(200)
    const waits: number[] = []
    for (let time = 0; time < 3; time++) {
      waits.push(budgetOf(await api.call('get', '/auth/me', { token })).seconds)
    }
    expect(waits).toEqual(waits.toSorted((a, b) => b - a))
    const denied = await api.call('get', '/auth/me', elsewhere)
    expect(refusalOf(denied)).toEqual({ status: 403, code: 'api_key_ip_denied' })
    expect(denied.headers).not.toHaveProperty('retry-after')
  })
})

describe('429 rate_limited', () => {
  test('Retry-After says when the next request is admitted, and the request is not executed', async () => {
    const { tenant, token } = await makeKey({ rate_limit_per_minute: 1 })
    expect(await statusWith(api, token)).toBe(200)
    const keys = () => api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } })
    const before = await keys()
    const response = await api.call('post', '/api-keys', {
      token,
      body: { name: 'x', scopes: ['*'] },
    })
    expect(refusalOf(response)).toEqual({ status: 429, code: 'rate_limited' })
    const { seconds, ...budget } = budgetOf(response)
    expect(budget).toEqual({ limit: 1, remaining: 0 })
    expect(response.headers['retry-after']).toBe(String(seconds))
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(await keys()).toBe(before)
  })

  test('concurrent requests to two processes are admitted exactly up to the limit', async () => {
    const { token } = await makeKey({ rate_limit_per_minute: 10 })
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => statusWith(index % 2 ? api : other, token)),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  })

  test('each key has its own budget', async () => {
    const { admin, token } = await makeKey({ rate_limit_per_minute: 1 })
    const sibling = await makeKeyWith(api, admin.token, { rate_limit_per_minute: 1 })
    expect(await statusWith(api, token)).toBe(200)
    expect(await statusWith(api, token)).toBe(429)
    expect(await statusWith(api, sibling.token)).toBe(200)
  })

  test('rotating a key does not renew its budget', async () => {
    const { admin, id, token } = await makeKey({ rate_limit_per_minute: 1 })
    expect(await statusWith(api, token)).toBe(200)
    const body = { grace_seconds: 60 }
    const rotated = await api.call('post', `/api-keys/${id}/rotate`, { token: admin.token, body })
    expect(await statusWith(api, rotated.body.token)).toBe(429)
    expect(await statusWith(api, token)).toBe(429)
  })

  test('a higher limit applies immediately, and used requests still count', async () => {
    const { admin, id, token } = await makeKey({ rate_limit_per_minute: 1 })
    expect(await statusWith(api, token)).toBe(200)
    const body = { rate_limit_per_minute: 3 }
    await api.call('patch', `/api-keys/${id}`, { token: admin.token, body })
    const response = await api.call('get', '/auth/me', { token })
    expect(budgetOf(response)).toMatchObject({ limit: 3, remaining: 1 })
  })
})

describe('order of checks', () => {
  const codeOf = async (token: string, path = '/auth/me', headers = {}) =>
    (await api.call('get', path, { token, headers })).body.code
  const elsewhere = { 'x-forwarded-for': '203.0.113.7' }

  test('401, then the address, then the rate limit, then the scope', async () => {
    const { admin, id, token } = await makeKey({
      rate_limit_per_minute: 1,
      ip_allowlist: ['127.0.0.1'],
      scopes: ['sites:read'],
    })
    await statusWith(api, token)
    expect(await codeOf(token, '/webhooks', elsewhere)).toBe('api_key_ip_denied')
    expect(await codeOf(token, '/webhooks')).toBe('rate_limited')
    await api.call('delete', `/api-keys/${id}`, { token: admin.token })
    expect(await codeOf(token, '/webhooks', elsewhere)).toBe('invalid_api_key')
  })

  test('a permission that needs a session is checked before the scope, the scope before the role', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey({ roles: ['customer'], scopes: ['sites:read'] })
    const ask = async (permission: string) => {
      const asked = {
        authorization: `Bearer ${token}`,
        ip: '127.0.0.1',
        method: 'POST',
        permission,
      }
      return (await api.callInternal('post', '/authorize', asked)).body.code
    }
    expect(await ask('users.impersonate')).toBe('api_key_not_allowed')
    expect(await ask('webhooks.manage')).toBe('insufficient_scope')
  })

  test('the role is checked before path, query, Idempotency-Key and body', async () => {
    const { token } = await (await api.makeTenant()).makeKey({ roles: ['support'] })
    const headers = { 'idempotency-key': '', 'content-type': 'application/json' }
    const path = '/webhooks/nonsense?unknown=1'
    const response = await api.call('patch', path, { token, body: '{', headers })
    expect(refusalOf(response)).toEqual({ status: 403, code: 'permission_denied' })
  })
})
