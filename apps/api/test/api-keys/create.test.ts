import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import {
  changesKeys,
  dumpKeyTables,
  makeKeyWith,
  makePeople,
  showKey,
  statusWith,
} from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()

testAccess(
  api,
  { verb: 'post', path: '/api-keys', body: { name: 'Deploy', scopes: ['apikeys:read'] } },
  changesKeys,
)

const wider = { status: 403, code: 'api_key_wider_than_caller' }
const denied = { status: 403, code: 'permission_denied' }
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()

const create = (token: string, body: unknown) => api.call('post', '/api-keys', { token, body })

const countKeys = (tenantId: string) => api.database.prisma.apiKey.count({ where: { tenantId } })

describe('POST /api-keys: personal key', () => {
  test('201 returns the key with defaults for omitted members', async () => {
    const { admin } = await api.makeAdmin()
    const { status, body } = await create(admin.token, { name: 'Deploy', scopes: ['sites:write'] })
    expect(status).toBe(201)
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body).toEqual({
      key: {
        id: expect.stringMatching(/^[a-z2-7]{12}$/),
        name: 'Deploy',
        kind: 'personal',
        source: 'api',
        workload: null,
        scopes: ['sites:write'],
        status: 'active',
        expires_at: null,
        ip_allowlist: null,
        rate_limit_per_minute: 600,
        enabled: true,
        accounts: null,
        external_id: null,
        parent_key_id: admin.id,
        user: { id: admin.userId, name: 'Ana' },
        created_by: { id: admin.userId, name: 'Ana' },
        created_at: iso,
        updated_at: iso,
        rotated_at: null,
        previous_secret_expires_at: null,
        revoked_at: null,
        last_used_at: null,
        last_used_ip: null,
        requests_today: 0,
        previous_secret_last_used_at: null,
        unused_scopes: null,
      },
      token: expect.stringMatching(/^hctl_[a-z2-7]{12}_[0-9A-Za-z]{38}$/),
    })
    expect(body.token.split('_')[1]).toBe(body.key.id)
    expect(Math.abs(Date.parse(body.key.created_at) - Date.now())).toBeLessThan(5_000)
  })

  test('201 stores every member, and GET returns the same key', async () => {
    const { admin } = await api.makeAdmin()
    const fields = {
      name: 'é'.repeat(100),
      scopes: ['*:read', 'sites:write'],
      kind: 'personal' as const,
      expires_at: inOneHour(),
      ip_allowlist: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
      rate_limit_per_minute: 1,
    }
    const { key } = await makeKeyWith(api, admin.token, fields)
    expect(key).toMatchObject(fields)
    expect(await showKey(api, admin.token, key.id)).toEqual(key)
  })

  test("the token permits only what both its scopes and its user's role allow", async () => {
    const { admin } = await api.makeAdmin()
    const { token } = await makeKeyWith(api, admin.token, { scopes: ['webhooks:read'] })
    expect((await api.call('get', '/webhooks', { token })).status).toBe(200)
    const refused = await api.call('get', '/api-keys', { token })
    expect(refusalOf(refused)).toEqual({ status: 403, code: 'insufficient_scope' })
    const { body } = await api.call('get', '/auth/me', { token })
    expect(body.user.id).toBe(admin.userId)
  })

  test('only this response contains the secret: no later response and no table does', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const headers = { 'idempotency-key': 'once' }
    const body = { name: 'Deploy', scopes: ['*'] }
    const created = await api.call('post', '/api-keys', { token: admin.token, body, headers })
    const { key, token } = created.body
    const secret = token.split('_')[2]
    const responses = await Promise.all(
      ['/api-keys', `/api-keys/${key.id}`, '/audit-log', `/api-keys/${key.id}/usage`].map((path) =>
        api.call('get', path, { token: admin.token }),
      ),
    )
    for (const { status, text } of responses) {
      expect(status).toBe(200)
      expect(text).not.toContain(secret)
    }
    expect(JSON.stringify(await auditOf(api, tenant.id))).not.toContain(secret)
    const dump = await dumpKeyTables(api)
    expect(dump).toContain(key.id)
    expect(dump).not.toContain(secret)
    expect(dump).not.toContain(Buffer.from(secret).toString('hex'))
  })

  test('support, resellers and customers create keys for themselves', async () => {
    const people = await makePeople(await api.makeTenant())
    for (const person of [people.support, people.reseller, people.customer]) {
      const { key, token } = await makeKeyWith(api, person.token)
      expect(key.user.id).toBe(person.userId)
      expect(await statusWith(api, token)).toBe(200)
    }
  })

  test('scopes never grant more than the role', async () => {
    const { customer } = await makePeople(await api.makeTenant())
    const { token } = await makeKeyWith(api, customer.token, { scopes: ['*'] })
    expect(refusalOf(await api.call('get', '/webhooks', { token }))).toEqual(denied)
  })

  test('two identical requests create two keys', async () => {
    const { admin } = await api.makeAdmin()
    const [one, other] = [await makeKeyWith(api, admin.token), await makeKeyWith(api, admin.token)]
    expect(one.id).not.toBe(other.id)
    expect(await statusWith(api, one.token)).toBe(200)
    expect(await statusWith(api, other.token)).toBe(200)
  })

  test('repeated scopes and addresses are stored once', async () => {
    const { admin } = await api.makeAdmin()
    const { key } = await makeKeyWith(api, admin.token, {
      scopes: ['sites:read', '*:read', 'sites:read'],
      ip_allowlist: ['10.0.0.0/8', '10.0.0.0/8'],
    })
    expect(key).toMatchObject({
      scopes: ['sites:read', '*:read'],
      ip_allowlist: ['10.0.0.0/8'],
    })
  })

  test('a time with an offset is stored as the same instant in UTC', async () => {
    const { admin } = await api.makeAdmin()
    const expires_at = '2199-12-31T23:30:00+02:00'
    const { key } = await makeKeyWith(api, admin.token, { expires_at })
    expect(key.expires_at).toBe('2199-12-31T21:30:00.000Z')
  })

  test('an allowlist accepts 100 entries', async () => {
    const { admin } = await api.makeAdmin()
    const ip_allowlist = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`)
    const { key } = await makeKeyWith(api, admin.token, { ip_allowlist })
    expect(key.ip_allowlist).toEqual(ip_allowlist)
  })

  test('the audit log shows who created which key, from where and with which request', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const fields = {
      name: 'Deploy',
      scopes: ['sites:read'],
      expires_at: inOneHour(),
      ip_allowlist: ['10.0.0.0/8'],
      rate_limit_per_minute: 5,
    }
    const response = await create(admin.token, fields)
    expect(await auditOf(api, tenant.id)).toEqual([
      expect.objectContaining({
        action: 'api_key.create',
        outcome: 'success',
        reason: null,
        actorType: 'user',
        actorId: admin.userId,
        actorName: 'Ana',
        actorKeyId: admin.id,
        targetType: 'api_key',
        targetId: response.body.key.id,
        ip: '127.0.0.1',
        requestId: response.headers['x-request-id'],
        details: { kind: 'personal', ...fields, enabled: true, accounts: null },
      }),
    ])
  })
})

describe('POST /api-keys: organization key', () => {
  const organization = { kind: 'organization', name: 'Deploy' } as const

  test("201 creates a service user with the key's name, the role admin and no way to sign in", async () => {
    const { tenant, admin } = await api.makeAdmin()
    const { key, token } = await makeKeyWith(api, admin.token, organization)
    const other = await makeKeyWith(api, admin.token, organization)
    expect(key).toMatchObject({
      kind: 'organization',
      user: { name: 'Deploy' },
      created_by: { id: admin.userId, name: 'Ana' },
    })
    expect(key.user.id).not.toBe(admin.userId)
    expect(other.key.user.id).not.toBe(key.user.id)
    const { body } = await api.call('get', '/auth/me', { token })
    expect(body).toMatchObject({
      user: { id: key.user.id, name: 'Deploy', email: null, kind: 'service' },
      tenant: { id: tenant.id },
      roles: ['admin'],
      accounts: 'all',
    })
    const user = await api.database.prisma.user.findUnique({ where: { id: key.user.id } })
    expect(user).toMatchObject({ kind: 'service', email: null, passwordHash: null })
  })

  test('it outlives its creators', async () => {
    const { admin } = await api.makeAdmin()
    const { token } = await makeKeyWith(api, admin.token, organization)
    await api.callInternal('delete', `/users/${admin.userId}`)
    expect(await statusWith(api, admin.token)).toBe(401)
    expect(await statusWith(api, token)).toBe(200)
    const made = await makeKeyWith(api, token, organization)
    expect(await statusWith(api, made.token)).toBe(200)
  })

  test('it creates keys of the organization, and the audit log names its service user', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const { key, token } = await makeKeyWith(api, admin.token, organization)
    const made = await makeKeyWith(api, token, organization)
    expect(made.key.created_by).toEqual(key.user)
    expect((await auditOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'api_key.create',
      actorType: 'service_user',
      actorId: key.user.id,
      actorName: 'Deploy',
      actorKeyId: key.id,
      targetId: made.id,
    })
  })

  test.each([{ kind: 'personal' }, {}])(
    '403 api_key_wider_than_caller if it asks for a personal key with %j',
    async (kind) => {
      const { tenant, admin } = await api.makeAdmin()
      const { token } = await makeKeyWith(api, admin.token, organization)
      const before = await countKeys(tenant.id)
      const response = await create(token, { name: 'Mine', scopes: ['sites:read'], ...kind })
      expect(refusalOf(response)).toEqual(wider)
      expect(response.body.detail).toContain('kind')
      expect(await countKeys(tenant.id)).toBe(before)
    },
  )

  test('403 permission_denied for support, reseller and customer', async () => {
    const tenant = await api.makeTenant()
    const people = await makePeople(tenant)
    const before = await countKeys(tenant.id)
    for (const { token } of [people.support, people.reseller, people.customer]) {
      const response = await create(token, { ...organization, scopes: ['sites:read'] })
      expect(refusalOf(response)).toEqual(denied)
      expect(response.body.detail).toContain('apikeys.manage')
    }
    expect(await countKeys(tenant.id)).toBe(before)
    expect(await api.database.prisma.user.count({ where: { tenantId: tenant.id } })).toBe(4)
  })
})
