import { createKeySecret, createKeyToken, encodeCursor, formatKeyToken } from '@hosting/core'
import { closeRefusalWindows } from '@hosting/postgres'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import { testAccess, type Guard } from '../support/access.ts'
import { makeKeyWith, rotate, statusWith, type KeyFields } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1' })
const other = useApi()

const readsAudit: Guard = {
  scope: 'audit:read',
  covering: [['audit:read'], ['audit:write'], ['*:read'], ['*']],
  lacking: [[], ['apikeys:write'], ['webhooks:read', 'tenant:write']],
  roles: ['admin', 'support'],
}

testAccess(api, { verb: 'get', path: '/audit-log' }, readsAudit)

interface AuditView {
  readonly id: string
  readonly occurred_at: string
  readonly action: string
  readonly outcome: string
  readonly reason: string | null
  readonly actor: { type: string; id: string | null; name: string | null; key_id: string | null }
  readonly target: { type: string | null; id: string | null }
  readonly ip: string | null
  readonly request_id: string | null
  readonly details: Record<string, unknown>
}

async function list(token: string, query = '') {
  const response = await api.call('get', `/audit-log?${query}`, { token })
  if (response.status !== 200) throw new Error(`A list was refused: ${response.text}`)
  return response.body as { items: AuditView[]; next_cursor: string | null }
}

const idsOf = (items: readonly AuditView[]) => items.map(({ id }) => id)

async function asAdmin() {
  const tenant = await api.makeTenant()
  return { tenant, admin: await tenant.makeKey() }
}

describe('changes of keys', () => {
  test('200 shows each with actor, target, address and request, newest first, and no secret', async () => {
    const { admin } = await asAdmin()
    const headers = { 'x-request-id': 'req-1', 'x-forwarded-for': '203.0.113.7' }
    const call = (verb: 'post' | 'patch' | 'delete', path: string, body?: unknown) =>
      api.call(verb, path, { token: admin.token, body, headers })
    const made = await call('post', '/api-keys', { name: 'Deploy', scopes: ['sites:read'] })
    const { id } = made.body.key
    await call('patch', `/api-keys/${id}`, { scopes: ['dns:read'] })
    const rotated = await call('post', `/api-keys/${id}/rotate`, { grace_seconds: 60 })
    await call('delete', `/api-keys/${id}`)
    const { items, next_cursor } = await list(admin.token)
    expect(next_cursor).toBeNull()
    expect(items.map(({ action }) => action)).toEqual([
      'api_key.revoke',
      'api_key.rotate',
      'api_key.update',
      'api_key.create',
    ])
    for (const item of items) {
      expect(item).toEqual({
        id: expect.any(String),
        occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        action: item.action,
        outcome: 'success',
        reason: null,
        actor: { type: 'user', id: admin.userId, name: 'Ana', key_id: admin.id },
        target: { type: 'api_key', id },
        ip: '203.0.113.7',
        request_id: 'req-1',
        details: expect.any(Object),
      })
    }
    const text = JSON.stringify(items)
    for (const { token } of [made.body, rotated.body]) {
      expect(text).not.toContain(token.split('_')[2])
    }
  })

  test('what an organization key does is done by its service user', async () => {
    const { admin } = await asAdmin()
    const organization = await makeKeyWith(api, admin.token, { kind: 'organization' })
    await makeWebhook(api, organization.token)
    expect((await list(admin.token)).items[0]).toMatchObject({
      action: 'webhook.create',
      actor: {
        type: 'service_user',
        id: organization.key.user.id,
        name: 'Deploy',
        key_id: organization.id,
      },
    })
  })

  test("another organization's events are in no list", async () => {
    const [one, two] = [await asAdmin(), await asAdmin()]
    await makeKeyWith(api, one.admin.token)
    expect((await list(two.admin.token)).items).toEqual([])
    expect((await list(two.admin.token, `key_id=${one.admin.id}`)).items).toEqual([])
  })
})

describe('refusals', () => {
  async function makeRefused(fields: KeyFields = {}) {
    const { tenant, admin } = await asAdmin()
    return { tenant, admin, ...(await makeKeyWith(api, admin.token, fields)) }
  }

  const refusalsOf = async (token: string) => (await list(token, 'action=api_key.refuse')).items

  const event = (id: string, reason: string) => ({
    action: 'api_key.refuse',
    outcome: 'refused',
    reason,
    target: { type: 'api_key', id },
    ip: '127.0.0.1',
    request_id: expect.any(String),
  })

  test('of a wrong secret: the actor is anonymous, and the key is the target', async () => {
    const { admin, id } = await makeRefused()
    const response = await api.call('get', '/auth/me', {
      token: formatKeyToken(createKeySecret(id)),
      headers: { 'x-forwarded-for': '203.0.113.7' },
    })
    expect(await refusalsOf(admin.token)).toEqual([
      expect.objectContaining({
        ...event(id, 'invalid_api_key'),
        actor: { type: 'anonymous', id: null, name: null, key_id: null },
        ip: '203.0.113.7',
        request_id: response.headers['x-request-id'],
        details: { route: 'auth.me' },
      }),
    ])
  })

  test.each(['revoked', 'expired', 'of a deactivated user', 'of before a rotation'])(
    'of a key that is %s',
    async (state) => {
      const { admin, tenant } = await makeRefused()
      const person = await tenant.makeKey({
        ...(state === 'expired' && { expiresAt: new Date(Date.now() - 1) }),
      })
      const { id, token } = person
      if (state === 'revoked') await api.call('delete', `/api-keys/${id}`, { token })
      if (state === 'of before a rotation') await rotate(api, token, id)
      if (state === 'of a deactivated user') {
        await api.callInternal('put', `/users/${person.userId}`, {
          tenant_id: tenant.id,
          email: `${person.userId}@example.test`,
          name: 'Ana',
          status: 'deactivated',
          roles: [],
          accounts: [],
        })
      }
      expect(await statusWith(api, token)).toBe(401)
      const [refusal] = await refusalsOf(admin.token)
      expect(refusal).toMatchObject(event(id, 'invalid_api_key'))
    },
  )

  test('of every 403 and 429, with the user of the key as actor', async () => {
    const { admin, tenant } = await makeRefused()
    const make = (fields: KeyFields) => makeKeyWith(api, admin.token, fields)
    const ask = (token: string, path = '/webhooks') => api.call('get', path, { token })
    const narrow = await make({ scopes: ['apikeys:write'], rate_limit_per_minute: 2 })
    const elsewhere = await make({ ip_allowlist: ['203.0.113.7'] })
    const customer = await tenant.makeKey({ roles: ['customer'] })
    const body = { name: 'x', scopes: ['*'] }
    await ask(narrow.token)
    await api.call('post', '/api-keys', { token: narrow.token, body })
    await ask(narrow.token)
    await ask(elsewhere.token)
    await ask(customer.token)
    await api.callInternal('post', '/authorize', {
      authorization: `Bearer ${admin.token}`,
      ip: '127.0.0.1',
      method: 'POST',
      permission: 'users.impersonate',
    })
    const expected: [id: string, reason: string, userId: string][] = [
      [admin.id, 'api_key_not_allowed', admin.userId],
      [customer.id, 'permission_denied', customer.userId],
      [elsewhere.id, 'api_key_ip_denied', admin.userId],
      [narrow.id, 'rate_limited', admin.userId],
      [narrow.id, 'api_key_wider_than_caller', admin.userId],
      [narrow.id, 'insufficient_scope', admin.userId],
    ]
    expect(await refusalsOf(admin.token)).toEqual(
      expected.map(([id, reason, userId]) =>
        expect.objectContaining({
          ...event(id, reason),
          actor: { type: 'user', id: userId, name: 'Ana', key_id: id },
        }),
      ),
    )
  })

  test('are not written of what names no key, nor of 404, 409 and 422', async () => {
    const { admin, id } = await makeRefused()
    for (const token of [formatKeyToken(createKeyToken()), `hctl_${id}_x`, 'x']) {
      expect(await statusWith(api, token)).toBe(401)
    }
    await api.call('get', '/api-keys/nonsense', { token: admin.token })
    await api.call('post', '/api-keys', { token: admin.token, body: {} })
    await api.call('delete', `/api-keys/${id}`, { token: admin.token })
    await api.call('post', `/api-keys/${id}/rotate`, { token: admin.token })
    expect(await refusalsOf(admin.token)).toEqual([])
  })

  test('that repeat within a minute become one further row, over all processes', async () => {
    const { admin, id } = await makeRefused()
    const wrong = formatKeyToken(createKeySecret(id))
    for (let time = 0; time < 3; time++) {
      await statusWith(api, wrong)
      await statusWith(other, wrong)
    }
    await api.call('get', '/webhooks', { token: wrong })
    const first = await refusalsOf(admin.token)
    expect(first.map(({ details }) => details['route'])).toEqual(['webhooks.list', 'auth.me'])
    const { pool } = api.database
    await until('the repeats are counted', async () => {
      const { rows } = await pool.query<{ repeated: number }>(
        'SELECT sum(repeated)::int AS repeated FROM refusal_windows WHERE key_id = $1',
        [id],
      )
      return rows[0]!.repeated === 5
    })
    expect(idsOf(await refusalsOf(admin.token))).toEqual(idsOf(first))
    await pool.query(
      "UPDATE refusal_windows SET started_at = now() - interval '61 s' WHERE key_id = $1",
      [id],
    )
    await closeRefusalWindows(api.database)
    const [further, ...before] = await refusalsOf(admin.token)
    expect(idsOf(before)).toEqual(idsOf(first))
    expect(further).toMatchObject({
      ...event(id, 'invalid_api_key'),
      request_id: null,
      details: { route: 'auth.me', repeated: 5 },
    })
  })
})

describe('filters', () => {
  let tenant: TestTenant
  let admin: TestKey
  let colleague: TestKey
  let made: string
  let all: AuditView[]
  beforeAll(async () => {
    tenant = await api.makeTenant()
    admin = await tenant.makeKey()
    colleague = await tenant.makeKey()
    made = (await makeKeyWith(api, admin.token)).id
    await statusWith(api, formatKeyToken(createKeySecret(made)))
    await makeWebhook(api, colleague.token)
    await api.call('delete', `/api-keys/${made}`, { token: colleague.token })
    all = (await list(admin.token)).items
  })

  test('of an action', async () => {
    const { items } = await list(admin.token, 'action=api_key.create')
    expect(items).toEqual([all.at(-1)])
    expect((await list(admin.token, 'action=nothing')).items).toEqual([])
  })

  test('of a key find it as actor and as target', async () => {
    const actionsOf = async (keyId: string) =>
      (await list(admin.token, `key_id=${keyId}`)).items.map(({ action }) => action)
    expect(await actionsOf(made)).toEqual(['api_key.revoke', 'api_key.refuse', 'api_key.create'])
    expect(await actionsOf(admin.id)).toEqual(['api_key.create'])
    expect(await actionsOf(colleague.id)).toEqual(['api_key.revoke', 'webhook.create'])
    expect(await actionsOf(createKeyToken().id)).toEqual([])
  })

  test('of an actor', async () => {
    const { items } = await list(admin.token, `actor_id=${colleague.userId}`)
    expect(idsOf(items)).toEqual(idsOf([all[0]!, all[1]!]))
    expect((await list(admin.token, `actor_id=${randomUUID()}`)).items).toEqual([])
  })

  test('of a time: `since` is inclusive, `until` is not', async () => {
    const moment = all[1]!.occurred_at
    const since = (await list(admin.token, `since=${moment}`)).items
    const before = (await list(admin.token, `until=${moment}`)).items
    expect(since).toEqual(all.filter(({ occurred_at }) => occurred_at >= moment))
    expect(before).toEqual(all.filter(({ occurred_at }) => occurred_at < moment))
    expect((await list(admin.token, `since=${moment}&until=${moment}`)).items).toEqual([])
    expect((await list(admin.token, 'since=2199-01-01T00:00:00%2B02:00')).items).toEqual([])
  })

  test('hold together, and for every page', async () => {
    const query = `key_id=${made}&actor_id=${colleague.userId}&action=api_key.revoke`
    expect((await list(admin.token, query)).items).toEqual([all[0]])
    const first = await list(admin.token, `key_id=${made}&limit=2`)
    const second = await list(admin.token, `key_id=${made}&cursor=${first.next_cursor}`)
    expect([...first.items, ...second.items].map(({ action }) => action)).toEqual([
      'api_key.revoke',
      'api_key.refuse',
      'api_key.create',
    ])
  })
})

describe('pages', () => {
  test.each([1, 2, 5])('of %i, one after the other, give every event once', async (limit) => {
    const { admin } = await asAdmin()
    for (let count = 0; count < 4; count++) await makeKeyWith(api, admin.token)
    const all = idsOf((await list(admin.token)).items)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await list(admin.token, `limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...idsOf(page.items))
      cursor = page.next_cursor
    } while (cursor)
    expect(seen).toEqual(all)
    expect(all).toHaveLength(4)
  })
})

describe('bad queries', () => {
  test.each([
    ['limit=0', ['/limit']],
    ['limit=101', ['/limit']],
    ['action=', ['/action']],
    [`action=${'a'.repeat(101)}`, ['/action']],
    ['key_id=', ['/key_id']],
    ['key_id=AAAAAAAAAAAA', ['/key_id']],
    ['actor_id=', ['/actor_id']],
    ['actor_id=nobody', ['/actor_id']],
    ['since=yesterday', ['/since']],
    ['until=2026-02-30T00:00:00Z', ['/until']],
    ['since=2026-01-01', ['/since']],
    ['since=0000-12-31T23:59:59Z', ['/since']],
    ['until=0001-01-01T00:00:00%2B14:00', ['/until']],
    ['since=x&until=y', ['/since', '/until']],
    ['actor=x', ['/actor']],
    ['action=a%00', ['/action']],
    ['cursor=nonsense', ['/cursor']],
    [`cursor=${encodeCursor('api-keys', randomUUID())}`, ['/cursor']],
    [`cursor=${encodeCursor('audit-log', 'x')}`, ['/cursor']],
  ])('422 validation_failed for ?%s', async (query, pointers) => {
    const { admin } = await asAdmin()
    const response = await api.call('get', `/audit-log?${query}`, { token: admin.token })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
  })
})
