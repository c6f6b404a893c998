import { createKeySecret, createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { closeRefusalWindows } from '@hosting/postgres/audit'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { idsOf, useAuditList } from '../support/audit-list.ts'
import { makeKeyWith, rotate, statusWith, type KeyFields } from '../support/keys.ts'
import { until } from '../support/until.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1' })
const other = useApi()

const { list } = useAuditList(api)

describe('GET /audit-log: refused requests', () => {
  async function makeRefused(fields: KeyFields = {}) {
    const { tenant, admin } = await api.makeAdmin()
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

  test('a refused wrong secret is listed: the actor is anonymous, and the key is the target', async () => {
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

  test.each([
    'a revoked key',
    'an expired key',
    'a key of a deactivated user',
    'a secret replaced by a rotation',
  ])('a refusal is listed: %s', async (credential) => {
    const { admin, tenant } = await makeRefused()
    const person = await tenant.makeKey({
      ...(credential === 'an expired key' && { expiresAt: new Date(Date.now() - 1) }),
    })
    const { id, token } = person
    if (credential === 'a revoked key') await api.call('delete', `/api-keys/${id}`, { token })
    if (credential === 'a secret replaced by a rotation') await rotate(api, token, id)
    if (credential === 'a key of a deactivated user') {
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
  })

  test('every 403 and 429 is listed, with the user of the key as the actor', async () => {
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

  test('a refusal for a missing scope names it, and each missing scope is listed', async () => {
    const { admin } = await makeRefused()
    const { token } = await makeKeyWith(api, admin.token, { scopes: ['sites:read'] })
    for (const method of ['GET', 'POST', 'POST']) {
      await api.callInternal('post', '/authorize', {
        authorization: `Bearer ${token}`,
        ip: '127.0.0.1',
        method,
        permission: 'dns.manage',
      })
    }
    await api.call('get', '/webhooks', { token })
    expect((await refusalsOf(admin.token)).map(({ details }) => details)).toEqual([
      { route: 'webhooks.list', scope: 'webhooks:read' },
      { route: 'authorize dns.manage', scope: 'dns:write' },
      { route: 'authorize dns.manage', scope: 'dns:read' },
    ])
  })

  test('requests without a known key, and 404, 409 and 422 responses, are not listed', async () => {
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

  test('repetitions within a minute become one further row, over all processes', async () => {
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
    // A call closes a limited number, and other test files have left some.
    while ((await closeRefusalWindows(api.database)) > 0);
    const [further, ...before] = await refusalsOf(admin.token)
    expect(idsOf(before)).toEqual(idsOf(first))
    expect(further).toMatchObject({
      ...event(id, 'invalid_api_key'),
      request_id: null,
      details: { route: 'auth.me', repeated: 5 },
    })
  })
})
