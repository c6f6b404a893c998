import { createKeyToken } from '@hosting/core/api-keys'
import { addKeyUses } from '@hosting/postgres/api-keys'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { keyUse } from '../../../../test/support/key-uses.ts'
import { passMidnight } from '../../../../test/support/midnight.ts'
import { testAccess } from '../support/access.ts'
import { makeKeyWith, makePeople, readsKeys, showKey, statusWith } from '../support/keys.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1' })
const other = useApi({ TRUSTED_PROXIES: '127.0.0.1' })

beforeEach(() => passMidnight(20_000))

testAccess(api, { verb: 'get', path: `/api-keys/${createKeyToken().id}/uses` }, readsKeys)

const dayMs = 86_400_000

interface UseView {
  readonly start: string
  readonly operation: string | null
  readonly status: number | null
  readonly address: string | null
  readonly secret: string | null
  readonly requests: number
}

const usesOf = async (token: string, id: string, query = '') => {
  const { body } = await api.call('get', `/api-keys/${id}/uses?by=day&${query}`, { token })
  return body.items as UseView[]
}

const sum = (uses: readonly UseView[]): number =>
  uses.reduce((total, { requests }) => total + requests, 0)

/** Waits until this number of requests is shown, and returns them without their start. */
const shownWith = (token: string, id: string, requests: number) =>
  until(
    `${requests} uses are shown`,
    async () => {
      const uses = await usesOf(token, id)
      return sum(uses) >= requests && uses.map(({ start: _start, ...use }) => use)
    },
    { withinMs: 10_000 },
  )

describe('GET /api-keys/{id}/uses: counting', () => {
  test('each request counts once, by operation, status, address group and secret, on every process', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const { id, token } = await makeKeyWith(api, admin.token, { scopes: ['sites:read'] })
    const from = (address: string) => ({ token, headers: { 'x-forwarded-for': address } })
    const authorize = { authorization: `Bearer ${token}`, ip: '203.0.113.9', method: 'GET' }
    const statuses = [
      await api.call('get', '/auth/me', from('203.0.113.7')),
      await other.call('get', '/auth/me', from('203.0.113.7')),
      await api.call('get', '/auth/me', from('2001:db8:1:2::1')),
      await other.call('get', '/auth/me', from('2001:db8:1:2::ff')),
      await api.call('get', '/webhooks', from('203.0.113.7')),
      await api.call('get', '/no-such-path', from('203.0.113.7')),
      await api.call('put', '/auth/me', from('203.0.113.7')),
      await api.callInternal('post', '/authorize', { ...authorize, permission: 'sites.read' }),
      await api.callInternal('post', '/authorize', { ...authorize, permission: 'jobs.read' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 200, 403, 404, 405, 200, 403])
    const use = (operation: string | null, status: number, address: string, requests = 1) => ({
      operation,
      status,
      address,
      secret: 'current',
      requests,
    })
    const uses = await shownWith(admin.token, id, statuses.length)
    expect(uses).toHaveLength(7)
    expect(uses).toEqual(
      expect.arrayContaining([
        use('auth.me', 200, '203.0.113.7', 2),
        use('auth.me', 200, '2001:db8:1:2::/64', 2),
        use('webhooks.list', 403, '203.0.113.7'),
        use(null, 404, '203.0.113.7'),
        use(null, 405, '203.0.113.7'),
        use('internal.authorize', 200, '203.0.113.9'),
        use('internal.authorize', 403, '203.0.113.9'),
      ]),
    )
    const { body } = await api.call('get', `/api-keys/${id}/usage`, admin)
    expect(body.items[0]).toMatchObject({ requests: 9, refused: 2, rate_limited: 0 })
  })

  test('a stream counts when it begins', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const { id, token } = await makeKeyWith(api, admin.token, { scopes: ['webhooks:write'] })
    const gone = new AbortController()
    const url = `${api.url}/api/v1/webhooks/listen`
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const response = await fetch(url, { headers, signal: gone.signal })
    expect(response.status).toBe(200)
    const [use] = await shownWith(admin.token, id, 1)
    expect(use).toMatchObject({ operation: 'webhooks.listen', status: 200 })
    gone.abort()
  })

  test('a replaced secret that is still valid is told apart, with its own last use', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const { id, token } = await makeKeyWith(api, admin.token)
    expect(await statusWith(api, token)).toBe(200)
    await shownWith(admin.token, id, 1)
    expect((await showKey(api, admin.token, id)).previous_secret_last_used_at).toBeNull()
    const { body } = await api.call('post', `/api-keys/${id}/rotate`, {
      token: admin.token,
      body: { grace_seconds: 600 },
    })
    const before = await showKey(api, admin.token, id)
    expect(before.previous_secret_last_used_at).toBe(before.last_used_at)
    const rotatedAt = Date.now()
    expect(await statusWith(other, token)).toBe(200)
    expect(await statusWith(other, body.token)).toBe(200)
    const uses = await shownWith(admin.token, id, 3)
    expect(uses.map(({ secret, requests }) => [secret, requests]).toSorted()).toEqual([
      ['current', 2],
      ['previous', 1],
    ])
    const shown = await showKey(api, admin.token, id)
    expect(Date.parse(shown.previous_secret_last_used_at!)).toBeGreaterThanOrEqual(rotatedAt)
    await api.call('post', `/api-keys/${id}/rotate`, { token: admin.token })
    expect((await showKey(api, admin.token, id)).previous_secret_last_used_at).toBeNull()
  })

  test('scopes that no request needed in 30 days are listed once the key is so old', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const scopes = ['apikeys:read', 'sites:read', 'sites:write', '*:read']
    const { id, key, token } = await makeKeyWith(api, admin.token, { scopes })
    expect(key.unused_scopes).toBeNull()
    await api.database.pool.query(
      `UPDATE api_keys SET created_at = now() - interval '30 days' WHERE id = $1`,
      [id],
    )
    expect((await showKey(api, admin.token, id)).unused_scopes).toEqual(scopes)
    const authorize = { authorization: `Bearer ${token}`, ip: '203.0.113.9', method: 'GET' }
    await api.callInternal('post', '/authorize', { ...authorize, permission: 'sites.read' })
    await api.call('get', '/webhooks', { token })
    await api.call('post', '/api-keys', { token, body: {} })
    await shownWith(admin.token, id, 3)
    const unused = ['apikeys:read', 'sites:write']
    expect((await showKey(api, admin.token, id)).unused_scopes).toEqual(unused)
    const body = { scopes: scopes.filter((scope) => !unused.includes(scope)) }
    await api.call('patch', `/api-keys/${id}`, { token: admin.token, body })
    expect((await showKey(api, admin.token, id)).unused_scopes).toEqual([])
    await api.database.pool.query('UPDATE api_keys SET uses_counted_from = now() WHERE id = $1', [
      id,
    ])
    expect((await showKey(api, admin.token, id)).unused_scopes).toBeNull()
  })
})

describe('GET /api-keys/{id}/uses: reading', () => {
  test('pages of hours and of days give every use once, newest first', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const { id } = await makeKeyWith(api, admin.token)
    const uses = Array.from({ length: 6 }, (_, days) => Date.now() - days * dayMs).flatMap((at) => [
      keyUse(id, at, { requests: 2 }),
      keyUse(id, at, { status: 404 }),
    ])
    await addKeyUses(api.database, uses)
    const since = new Date(Date.now() - 6 * dayMs).toISOString()
    for (const by of ['hour', 'day']) {
      const found: UseView[] = []
      let cursor = ''
      do {
        const path = `/api-keys/${id}/uses?since=${since}&by=${by}&limit=5${cursor}`
        const { body } = await api.call('get', path, admin)
        found.push(...body.items)
        cursor = body.next_cursor && `&cursor=${body.next_cursor}`
      } while (cursor)
      expect(found).toHaveLength(12)
      expect(sum(found)).toBe(18)
      const starts = found.map(({ start }) => start)
      expect(starts).toEqual(starts.toSorted().toReversed())
    }
  })

  test('422 for a span that is negative, or longer than 7 days, and for a cursor of another span', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const { id } = await makeKeyWith(api, admin.token)
    await addKeyUses(api.database, [
      keyUse(id, Date.now()),
      keyUse(id, Date.now(), { status: 404 }),
    ])
    const call = (query: string) => api.call('get', `/api-keys/${id}/uses?${query}`, admin)
    const { next_cursor: cursor } = (await call('by=hour&limit=1')).body
    const eightDays = new Date(Date.now() - 8 * dayMs).toISOString()
    const future = new Date(Date.now() + dayMs).toISOString()
    for (const [query, pointer] of [
      [`since=${eightDays}`, '/since'],
      [`since=${future}`, '/until'],
      ['by=minute', '/by'],
      [`by=day&cursor=${cursor}`, '/cursor'],
    ]) {
      const { status, body } = await call(query!)
      expect([status, body.errors[0].pointer]).toEqual([422, pointer])
    }
    expect((await call(`by=hour&cursor=${cursor}`)).body.items).toHaveLength(1)
  })

  test('whoever can see a key can see its uses; others get 404', async () => {
    const people = await makePeople(await api.makeTenant())
    const stranger = await (await api.makeTenant()).makeKey()
    const path = `/api-keys/${people.reseller.id}/uses`
    for (const { token } of [people.admin, people.support, people.reseller]) {
      expect((await api.call('get', path, { token })).status).toBe(200)
    }
    for (const { token } of [people.customer, stranger]) {
      expect(refusalOf(await api.call('get', path, { token }))).toEqual(notFound)
    }
  })
})
