import { createKeySecret, createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { addKeyUses } from '@hosting/postgres/api-keys'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { keyUses } from '../../../../test/support/key-uses.ts'
import { passMidnight } from '../../../../test/support/midnight.ts'
import { testAccess } from '../support/access.ts'
import { makeKeyWith, makePeople, readsKeys, showKey, statusWith } from '../support/keys.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1' })
const other = useApi({ TRUSTED_PROXIES: '127.0.0.1' })

beforeEach(() => passMidnight(15_000))

testAccess(api, { verb: 'get', path: `/api-keys/${createKeyToken().id}/usage` }, readsKeys)

const dayMs = 86_400_000
const dateOf = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10)

interface Day {
  readonly date: string
  readonly requests: number
  readonly refused: number
  readonly rate_limited: number
}

const usageOf = async (token: string, id: string) => {
  const { body } = await api.call('get', `/api-keys/${id}/usage`, { token })
  return body.items as Day[]
}

/** Waits until the key's record counts this number of requests, and returns it. */
const shownWith = (token: string, id: string, requests: number) =>
  until(
    `${requests} requests are shown`,
    async () => {
      const key = await showKey(api, token, id)
      return key.requests_today >= requests && key.last_used_at !== null && key
    },
    { withinMs: 10_000 },
  )

async function asAdmin() {
  const { tenant, admin } = await api.makeAdmin()
  return { tenant, admin, ...(await makeKeyWith(api, admin.token)) }
}

describe('GET /api-keys/{id}/usage: days', () => {
  test('200 returns the last 30 UTC days, today first, with 0 for days without requests', async () => {
    const { admin, id } = await asAdmin()
    const items = await usageOf(admin.token, id)
    expect(items).toEqual(
      Array.from({ length: 30 }, (_, index) => ({
        date: dateOf(index),
        requests: 0,
        refused: 0,
        rate_limited: 0,
      })),
    )
  })

  test('each day has its own number, and older days are not shown', async () => {
    const { admin, id } = await asAdmin()
    const use = (daysAgo: number, requests: number) =>
      keyUses(id, Date.now() - daysAgo * dayMs, { requests, refused: 2, rateLimited: 1 })
    await addKeyUses(api.database, [use(1, 7), use(29, 3), use(30, 5)].flat())
    const items = await usageOf(admin.token, id)
    expect(items.filter(({ requests }) => requests > 0)).toEqual([
      { date: dateOf(1), requests: 7, refused: 2, rate_limited: 1 },
      { date: dateOf(29), requests: 3, refused: 2, rate_limited: 1 },
    ])
    expect(items).toHaveLength(30)
    expect((await showKey(api, admin.token, id)).requests_today).toBe(0)
  })
})

describe('GET /api-keys/{id}/usage: counting', () => {
  test('requests to every process are counted once within 10 seconds', async () => {
    const { admin, id, token } = await asAdmin()
    const before = Date.now()
    const uses = Array.from({ length: 6 }, (_, index) => statusWith(index % 2 ? api : other, token))
    expect(new Set(await Promise.all(uses))).toEqual(new Set([200]))
    const after = Date.now()
    const shown = await shownWith(admin.token, id, 6)
    expect(shown.requests_today).toBe(6)
    expect(Date.parse(shown.last_used_at!)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(shown.last_used_at!)).toBeLessThanOrEqual(after)
    expect(shown.last_used_ip).toBe('127.0.0.1')
    const [today] = await usageOf(admin.token, id)
    expect(today).toEqual({ date: dateOf(0), requests: 6, refused: 0, rate_limited: 0 })
  })

  test('every request with a valid secret counts, regardless of its response; a wrong secret does not', async () => {
    const { admin } = await api.makeAdmin()
    const { id, token } = await makeKeyWith(api, admin.token, {
      scopes: ['sites:read'],
      rate_limit_per_minute: 2,
      ip_allowlist: ['127.0.0.1'],
    })
    const from = (address: string) => ({ token, headers: { 'x-forwarded-for': address } })
    const codes = [
      (await api.call('get', '/webhooks', { token })).body.code,
      (await api.call('get', '/api-keys/nonsense', { token })).body.code,
      (await api.call('get', '/auth/me', { token })).body.code,
      (await api.call('get', '/auth/me', from('203.0.113.7'))).body.code,
      (await api.call('get', '/auth/me', { token: formatKeyToken(createKeySecret(id)) })).body.code,
    ]
    expect(codes).toEqual([
      'insufficient_scope',
      'insufficient_scope',
      'rate_limited',
      'api_key_ip_denied',
      'invalid_api_key',
    ])
    await api.call('delete', `/api-keys/${id}`, { token: admin.token })
    expect(await statusWith(api, token)).toBe(401)
    const shown = await shownWith(admin.token, id, 5)
    expect(shown.requests_today).toBe(5)
  })

  test('`refused` counts every 403 and `rate_limited` every 429 once, on every process', async () => {
    const { admin, id, token } = await makeLimited()
    const codes: string[] = []
    for (const step of [
      () => api.call('get', '/webhooks', { token }),
      () => other.call('get', '/webhooks', { token }),
      () => api.call('post', '/api-keys', { token, body: { name: 'wider', scopes: ['*'] } }),
      () => api.call('get', '/auth/me', { token, headers: { 'x-forwarded-for': '203.0.113.7' } }),
      () => authorize(token, 'webhooks.read'),
      () => api.call('get', '/auth/me', { token }),
      () => api.call('get', '/auth/me', { token }),
      () => api.call('get', '/auth/me', { token }),
      () => other.call('get', '/auth/me', { token }),
      () => authorize(token, 'sites.read'),
    ]) {
      codes.push((await step()).body.code)
    }
    expect(codes).toEqual([
      'insufficient_scope',
      'insufficient_scope',
      'api_key_wider_than_caller',
      'api_key_ip_denied',
      'insufficient_scope',
      undefined,
      undefined,
      'rate_limited',
      'rate_limited',
      'rate_limited',
    ])
    const today = await until(
      'all outcomes are counted',
      async () => {
        const [day] = await usageOf(admin.token, id)
        return day!.requests >= 10 && day!.refused + day!.rate_limited >= 8 && day!
      },
      { withinMs: 10_000 },
    )
    expect(today).toEqual({ date: dateOf(0), requests: 10, refused: 5, rate_limited: 3 })
  })

  /** A key with six requests a minute that may manage keys and read sites. */
  async function makeLimited() {
    const admin = await (await api.makeTenant()).makeKey()
    const scopes = ['sites:read', 'apikeys:write']
    const fields = { scopes, rate_limit_per_minute: 6, ip_allowlist: ['127.0.0.1'] }
    return { admin, ...(await makeKeyWith(api, admin.token, fields)) }
  }

  const authorize = (token: string, permission: string) =>
    api.callInternal('post', '/authorize', {
      authorization: `Bearer ${token}`,
      ip: '127.0.0.1',
      method: 'GET',
      permission,
    })

  test('the last use shows the address of the client, not of a proxy', async () => {
    const { admin, id, token } = await asAdmin()
    const headers = { 'x-forwarded-for': '198.51.100.1, ::ffff:203.0.113.7' }
    await api.call('get', '/auth/me', { token, headers })
    expect((await shownWith(admin.token, id, 1)).last_used_ip).toBe('203.0.113.7')
  })

  test('using a key does not change its updated_at', async () => {
    const { admin, id, key, token } = await asAdmin()
    await statusWith(api, token)
    expect((await shownWith(admin.token, id, 1)).updated_at).toBe(key.updated_at)
  })
})

test('whoever can see a key can see its usage; others get 404', async () => {
  const people = await makePeople(await api.makeTenant())
  const stranger = await (await api.makeTenant()).makeKey()
  const path = `/api-keys/${people.reseller.id}/usage`
  for (const { token } of [people.admin, people.support, people.reseller]) {
    expect((await api.call('get', path, { token })).status).toBe(200)
  }
  for (const { token } of [people.customer, stranger]) {
    expect(refusalOf(await api.call('get', path, { token }))).toEqual(notFound)
  }
})
