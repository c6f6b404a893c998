import { afterEach, describe, expect, test } from '@jest/globals'
import { useApi, type TestApi, type TestTenant } from '../../../../test/support/api.ts'
import { listen, listenWith, type TestListener } from '../../../../test/support/listener.ts'
import {
  callWith,
  makeSignedIn,
  type TestPerson,
  type TestSession,
} from '../../../../test/support/session.ts'
import { buildEvent, publish } from '../support/events.ts'

// Longer than any test: a stream that ends does not end because of a heartbeat, at which the caller is checked too.
const rareHeartbeats = { LISTEN_HEARTBEAT_SECONDS: '60' }
const api = useApi(rareHeartbeats)
const second = useApi(rareHeartbeats)

const open: TestListener[] = []
afterEach(() => Promise.all(open.splice(0).map((listener) => listener.leave())))

async function begin(token: string, at: TestApi = api): Promise<TestListener> {
  const listener = await listenWith(at.url, token)
  open.push(listener)
  return listener
}

type SignedIn = TestPerson & TestSession

const tryWith = (token: string) => listen(api.url, { authorization: `Bearer ${token}` })

async function countSlots(tenant: TestTenant): Promise<number> {
  const { rows } = await api.database.pool.query<{ count: number }>(
    'SELECT count(*)::int FROM webhook_listeners WHERE tenant_id = $1',
    [tenant.id],
  )
  return rows[0]!.count
}

describe('GET /webhooks/listen: a caller who lost access', () => {
  const changes: Record<
    string,
    (
      key: { id: string; userId: string; token: string },
      tenant: TestTenant,
      managerToken: string,
    ) => Promise<unknown>
  > = {
    invalid_api_key: ({ id }, _tenant, token) => api.call('delete', `/api-keys/${id}`, { token }),
    insufficient_scope: ({ id, token }) =>
      api.call('patch', `/api-keys/${id}`, {
        token,
        body: { scopes: ['apikeys:write'] },
      }),
    api_key_ip_denied: ({ id, token }) =>
      api.call('patch', `/api-keys/${id}`, { token, body: { ip_allowlist: ['192.0.2.1/32'] } }),
    permission_denied: ({ userId }, tenant) =>
      api.callInternal('put', `/users/${userId}`, {
        tenant_id: tenant.id,
        email: `${userId}@example.test`,
        name: 'Ana',
        status: 'active',
        roles: ['customer'],
        accounts: [],
      }),
  }

  test.each(Object.entries(changes))(
    'is notified of %s as soon as the change is made, and receives no later event',
    async (code, change) => {
      const { tenant, admin: manager } = await api.makeAdmin()
      const key = await tenant.makeKey()
      const listener = await begin(key.token)
      await change(key, tenant, manager.token)
      const ending = await listener.ending()
      expect(ending).toEqual({ code, detail: expect.any(String) })
      await publish(api, tenant.id)
      await expect(listener.next()).rejects.toThrow('over')
      expect(await countSlots(tenant)).toBe(0)
    },
  )

  test('a key that is revoked while its stream starts is refused, or its stream ends with an event', async () => {
    const { tenant, admin: manager } = await api.makeAdmin()
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { id, token } = await tenant.makeKey()
        const [response] = await Promise.all([
          tryWith(token),
          api.call('delete', `/api-keys/${id}`, { token: manager.token }),
        ])
        const { code } = 'secret' in response ? await response.ending() : response
        expect(code).toBe('invalid_api_key')
      }),
    )
  })

  test('a change of another key does not affect the stream', async () => {
    const tenant = await api.makeTenant()
    const listener = await begin((await tenant.makeKey()).token)
    const other = await tenant.makeKey()
    await api.call('delete', `/api-keys/${other.id}`, { token: other.token })
    await publish(api, tenant.id)
    expect((await listener.next()).body).toContain('api_key.revoked')
    expect((await listener.next()).body).toContain('site.created')
  })

  const changesOfSessions: Record<
    string,
    (person: SignedIn, tenant: TestTenant) => Promise<unknown>
  > = {
    'signed out': (person) => callWith(second, person)('delete', '/auth/session'),
    'was ended elsewhere': async (person) => {
      const current = (await callWith(api, person)('get', '/auth/sessions')).body.items as {
        id: string
      }[]
      return callWith(second, person)('delete', `/auth/sessions/${current[0]!.id}`)
    },
    'was deactivated': (person, tenant) => put(person, tenant, { status: 'deactivated' }),
    'was demoted': (person, tenant) => put(person, tenant, { roles: ['customer'] }),
    'was deleted': (person) => second.callInternal('delete', `/users/${person.id}`),
    'has no organization any more': (_person, tenant) =>
      second.callInternal('delete', `/tenants/${tenant.id}`),
  }

  const put = (person: SignedIn, tenant: TestTenant, change: object) =>
    second.callInternal('put', `/users/${person.id}`, {
      tenant_id: tenant.id,
      email: person.email,
      name: 'Ana',
      status: 'active',
      roles: ['support'],
      accounts: [],
      ...change,
    })

  test.each(Object.entries(changesOfSessions))(
    'a session whose person %s ends at another process at once, and receives no later event',
    async (_what, change) => {
      const tenant = await api.makeTenant()
      const person = await makeSignedIn(api, tenant, { roles: ['support'] })
      const listener = (await listen(api.url, { cookie: person.cookie })) as TestListener
      open.push(listener)
      const response = (await change(person, tenant)) as { status: number }
      expect([200, 204]).toContain(response.status)
      await Promise.all([publishQuietly(tenant.id), publishQuietly(tenant.id)])
      await expect(listener.next()).rejects.toThrow('The stream ended')
    },
  )

  /** Publishes at the other process; an organization that is gone takes nothing. */
  const publishQuietly = (tenantId: string) =>
    second.callInternal('post', '/events', buildEvent(tenantId))

  test('a key that is revoked elsewhere receives no later event', async () => {
    const { tenant, admin: manager } = await api.makeAdmin()
    for (let round = 0; round < 10; round++) {
      const key = await tenant.makeKey()
      const listener = await begin(key.token)
      await second.call('delete', `/api-keys/${key.id}`, { token: manager.token })
      await publishQuietly(tenant.id)
      await expect(listener.next()).rejects.toThrow('The stream ended')
    }
  })

  test('a key that expires ends its stream then', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey({ expiresAt: new Date(Date.now() + 2_000) })
    const listener = await begin(token)
    expect(await listener.ending()).toMatchObject({ code: 'invalid_api_key' })
  })

  test('the end of the overlap period of a secret ends its stream', async () => {
    const tenant = await api.makeTenant()
    const { id, token } = await tenant.makeKey()
    const listener = await begin(token)
    const body = { grace_seconds: 2 }
    expect((await api.call('post', `/api-keys/${id}/rotate`, { token, body })).status).toBe(200)
    expect(await listener.ending()).toMatchObject({ code: 'invalid_api_key' })
  })

  test('a session that starts an impersonation receives no later event', async () => {
    const tenant = await api.makeTenant()
    const [person, other] = [await makeSignedIn(api, tenant), await makeSignedIn(api, tenant)]
    const listener = (await listen(api.url, { cookie: person.cookie })) as TestListener
    open.push(listener)
    const body = { user_id: other.id }
    const started = await callWith(second, person)('post', '/auth/impersonation', { body })
    expect(started.status).toBe(201)
    await publishQuietly(tenant.id)
    await expect(listener.next()).rejects.toThrow('The stream ended')
  })

  test('a session that expires ends its stream then', async () => {
    const person = await makeSignedIn(api, await api.makeTenant())
    await api.database.pool.query(
      `UPDATE panel_sessions SET absolute_expires_at = now() + interval '2 s' WHERE user_id = $1`,
      [person.id],
    )
    const listener = (await listen(api.url, { cookie: person.cookie })) as TestListener
    open.push(listener)
    expect(await listener.ending()).toMatchObject({ code: 'authentication_required' })
  })
})
