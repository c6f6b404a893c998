import { createKeySecret, createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi } from '../../../../test/support/api.ts'
import { makeKeyWith, type KeyFields } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()

const question = { authorization: null, ip: '203.0.113.7', method: 'GET', permission: 'sites.read' }

const authorize = (token: string, members: Record<string, unknown> = {}, each = api) =>
  each.callInternal('post', '/authorize', {
    ...question,
    authorization: `Bearer ${token}`,
    ...members,
  })

async function makeLimitedKey(fields: KeyFields) {
  const { tenant, admin } = await api.makeAdmin()
  return { tenant, admin, ...(await makeKeyWith(api, admin.token, fields)) }
}

describe('POST /authorize: same problems as the public API', () => {
  const webhooks = { ip: '127.0.0.1', method: 'GET', permission: 'webhooks.read' }

  const problemOf = ({ status, body, headers }: Response) => {
    const { instance: _path, request_id: _id, ...problem } = body as Record<string, unknown>
    const names = ['www-authenticate', 'ratelimit-policy', 'retry-after']
    return { status, problem, ...Object.fromEntries(names.map((name) => [name, headers[name]])) }
  }

  async function expectSame(authorization: string | null, code: string) {
    const headers = authorization === null ? {} : { authorization }
    const own = await api.call('get', '/webhooks', { headers })
    const asked = await api.callInternal('post', '/authorize', { ...webhooks, authorization })
    expect(asked.body.code).toBe(code)
    expect(problemOf(asked)).toEqual(problemOf(own))
    // The platform passes the problem on to its customer, whose request had another path.
    expect([own.body.instance, asked.body.instance]).toEqual(['/api/v1/webhooks', undefined])
    expect(asked.headers['content-type']).toBe('application/problem+json')
  }

  test('a problem of the call itself has the path of the call', async () => {
    const invalid = await api.callInternal('post', '/authorize', {
      ...webhooks,
      permission: 'none',
    })
    expect(invalid.status).toBe(422)
    expect(invalid.body.instance).toBe('/internal/v1/authorize')
  })

  test('401 authentication_required without a header', () =>
    expectSame(null, 'authentication_required'))

  test.each(['', 'Bearer', 'Bearer x y', 'Basic dTpw', 'Bearer hctl_x'])(
    '401 invalid_api_key for the header %j',
    (authorization) => expectSame(authorization, 'invalid_api_key'),
  )

  test('401 invalid_api_key for an unknown key, a wrong secret, a revoked and an expired key', async () => {
    const { tenant, admin: revoked } = await api.makeAdmin()
    await api.call('delete', `/api-keys/${revoked.id}`, { token: revoked.token })
    const expired = await tenant.makeKey({ expiresAt: new Date(Date.now() - 1) })
    const wrong = formatKeyToken(createKeySecret((await tenant.makeKey()).id))
    const unknown = formatKeyToken(createKeyToken())
    for (const token of [unknown, wrong, revoked.token, expired.token]) {
      await expectSame(`Bearer ${token}`, 'invalid_api_key')
    }
  })

  test('403 api_key_ip_denied, insufficient_scope and permission_denied, 429 rate_limited', async () => {
    const { tenant, token } = await makeLimitedKey({ ip_allowlist: ['203.0.113.7'] })
    await expectSame(`Bearer ${token}`, 'api_key_ip_denied')
    const scopeless = await tenant.makeKey({ scopes: ['sites:read'] })
    await expectSame(`Bearer ${scopeless.token}`, 'insufficient_scope')
    const powerless = await tenant.makeKey({ roles: ['customer'] })
    await expectSame(`Bearer ${powerless.token}`, 'permission_denied')
    const spent = await makeLimitedKey({ rate_limit_per_minute: 1 })
    await authorize(spent.token)
    const [asked, own] = [
      await authorize(spent.token),
      await api.call('get', '/webhooks', { token: spent.token }),
    ]
    expect(refusalOf(asked)).toEqual({ status: 429, code: 'rate_limited' })
    expect(refusalOf(own)).toEqual(refusalOf(asked))
    expect(asked.headers['retry-after']).toMatch(/^[1-9]\d?$/)
  })

  test('the IP allowlist is checked against the given address, with IPv4-mapped addresses as IPv4', async () => {
    const { token } = await makeLimitedKey({ ip_allowlist: ['203.0.113.0/24', '2001:db8::/32'] })
    for (const ip of ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:cb00:7107', '2001:DB8::1']) {
      expect((await authorize(token, { ip })).status).toBe(200)
    }
    for (const ip of ['203.0.114.7', '127.0.0.1', '::1', '::203.0.113.7']) {
      expect((await authorize(token, { ip })).body.code).toBe('api_key_ip_denied')
    }
  })
})

test('a refusal is audited with the given permission and address', async () => {
  const { tenant, admin, id, token } = await makeLimitedKey({ scopes: ['sites:read'] })
  const asked = { permission: 'dns.manage', method: 'POST', ip: '::ffff:203.0.113.9' }
  const response = await authorize(token, asked)
  expect((await auditOf(api, tenant.id)).slice(1)).toEqual([
    expect.objectContaining({
      action: 'api_key.refuse',
      outcome: 'refused',
      reason: 'insufficient_scope',
      actorType: 'user',
      actorId: admin.userId,
      actorKeyId: id,
      targetId: id,
      ip: '203.0.113.9',
      requestId: response.headers['x-request-id'],
      details: { route: 'authorize dns.manage', scope: 'dns:write' },
    }),
  ])
})
