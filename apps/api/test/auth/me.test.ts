import { permissions, type Role } from '@hosting/core/scopes'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAuthentication } from '../support/access.ts'
import { makeKeyWith, rotate, useUntilRefused } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'

const api = useApi()

testAuthentication(api, { verb: 'get', path: '/auth/me' })

const me = (token: string) => api.call('get', '/auth/me', { token })

describe('GET /auth/me: personal key', () => {
  test('200 shows the acting user, its organization, roles, permissions and key', async () => {
    const tenant = await api.makeTenant()
    const expiresAt = new Date(Date.now() + 60_000)
    const key = await tenant.makeKey({ scopes: ['*:read', 'sites:write'], expiresAt })
    const { status, body } = await me(key.token)
    expect(status).toBe(200)
    expect(body).toEqual({
      user: {
        id: key.userId,
        name: 'Ana',
        email: `${key.userId}@example.test`,
        kind: 'human',
      },
      tenant: { id: tenant.id, slug: `t-${tenant.id}`, name: 'Acme' },
      roles: ['admin'],
      permissions: [...permissions.keys()],
      accounts: 'all',
      key: {
        id: key.id,
        name: expect.stringMatching(/^key /),
        kind: 'personal',
        source: 'api',
        workload: null,
        scopes: ['*:read', 'sites:write'],
        status: 'active',
        expires_at: expiresAt.toISOString(),
        ip_allowlist: null,
        rate_limit_per_minute: 600,
        enabled: true,
        accounts: null,
        external_id: null,
        parent_key_id: null,
        user: { id: key.userId, name: 'Ana' },
        created_by: { id: key.userId, name: 'Ana' },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: expect.any(String),
        rotated_at: null,
        previous_secret_expires_at: null,
        previous_secret_last_used_at: null,
        unused_scopes: null,
        revoked_at: null,
        last_used_at: body.key.last_used_at,
        last_used_ip: body.key.last_used_ip,
        requests_today: expect.any(Number),
      },
    })
  })

  test('neither the response nor the database contains the secret', async () => {
    const key = await (await api.makeTenant()).makeKey()
    const secret = key.token.split('_')[2]!
    expect((await me(key.token)).text).not.toContain(secret)
    const rows = await api.database.pool.query(
      `SELECT k::text AS key, s::text AS secret FROM api_keys k
       JOIN api_key_secrets s ON s.key_id = k.id WHERE k.id = $1`,
      [key.id],
    )
    expect(rows.rows).toHaveLength(1)
    expect(JSON.stringify(rows.rows)).not.toContain(secret)
  })

  test('200 for a key without any scope', async () => {
    const key = await (await api.makeTenant()).makeKey({ scopes: [] })
    expect((await me(key.token)).body.key.scopes).toEqual([])
  })

  test.each(['bearer', 'BEARER', 'Bearer  '])('200 if the scheme is written %j', async (scheme) => {
    const { token } = await (await api.makeTenant()).makeKey()
    const headers = { authorization: `${scheme} ${token}` }
    expect((await api.call('get', '/auth/me', { headers })).status).toBe(200)
  })

  test('cookies have no effect and are no credentials', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const headers = { cookie: 'session=x; __Host-session=y' }
    expect((await api.call('get', '/auth/me', { token, headers })).status).toBe(200)
    expect(refusalOf(await api.call('get', '/auth/me', { headers })).status).toBe(401)
  })
})

describe('GET /auth/me: roles', () => {
  const cases: [role: Role, permitted: (name: string) => boolean, accounts: 'all' | 'assigned'][] =
    [
      ['admin', () => true, 'all'],
      ['support', (name) => name.endsWith('.read') || name === 'apikeys.create', 'all'],
      [
        'reseller',
        (name) =>
          /^(accounts|sites|databases|dns|mail|backups|storage|sftp|jobs)\./.test(name) ||
          name === 'apikeys.read' ||
          name === 'apikeys.create',
        'assigned',
      ],
      [
        'customer',
        (name) =>
          (/^(accounts|sites|databases|dns|mail|backups|storage|sftp|jobs)\./.test(name) &&
            name !== 'accounts.manage') ||
          name === 'apikeys.read' ||
          name === 'apikeys.create',
        'assigned',
      ],
    ]

  test.each(cases)('%s shows its permissions and its accounts', async (role, permitted, reach) => {
    const tenant = await api.makeTenant()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()].toSorted()
    await tenant.makeAccount()
    const { body } = await me((await tenant.makeKey({ roles: [role], accounts })).token)
    expect(body.roles).toEqual([role])
    expect(body.permissions).toEqual([...permissions.keys()].filter(permitted))
    expect(body.accounts).toEqual(reach === 'all' ? 'all' : accounts)
  })

  test('several roles permit what any one of them permits', async () => {
    const tenant = await api.makeTenant()
    const account = await tenant.makeAccount()
    const roles: Role[] = ['customer', 'support']
    const { body } = await me((await tenant.makeKey({ roles, accounts: [account] })).token)
    expect(body).toMatchObject({ roles, accounts: 'all' })
    expect(body.permissions).toEqual(expect.arrayContaining(['webhooks.read', 'sites.manage']))
    expect(body.permissions).not.toContain('webhooks.manage')
  })

  test('without a role there are no permissions and no accounts', async () => {
    const { body } = await me((await (await api.makeTenant()).makeKey({ roles: [] })).token)
    expect(body).toMatchObject({ roles: [], permissions: [], accounts: [] })
  })
})

describe('GET /auth/me: organization key', () => {
  test("200 shows its service user, which outlives the key's creator", async () => {
    const creator = await (await api.makeTenant()).makeKey()
    const made = await makeKeyWith(api, creator.token, { kind: 'organization', name: 'Deploy' })
    await api.callInternal('delete', `/users/${creator.userId}`)
    const { status, body } = await me(made.token)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      user: { id: made.key.user.id, name: 'Deploy', email: null, kind: 'service' },
      roles: ['admin'],
      accounts: 'all',
      key: {
        kind: 'organization',
        source: 'api',
        user: made.key.user,
        created_by: { id: creator.userId, name: 'Ana' },
        expires_at: null,
      },
    })
  })
})

describe('GET /auth/me: secrets in their overlap period', () => {
  /** A key with a second secret, whose first one ends after a time. */
  async function makeRotatedKey(graceSeconds: number) {
    const { id, token: old } = await (await api.makeTenant()).makeKey()
    const next = await rotate(api, old, id, graceSeconds)
    const { key } = (await me(next)).body
    return { old, next, expiresAt: Date.parse(key.previous_secret_expires_at) }
  }

  test('the old and the new secret work, and the key shows when the old one ends', async () => {
    const before = Date.now()
    const { old, next, expiresAt } = await makeRotatedKey(60)
    expect(expiresAt).toBeGreaterThanOrEqual(before + 60_000)
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 60_000)
    for (const token of [old, next]) {
      const { status, body } = await me(token)
      expect(status).toBe(200)
      expect(Date.parse(body.key.previous_secret_expires_at)).toBe(expiresAt)
    }
  })

  test('the old secret stops working at its end, even right after a request', async () => {
    const { old, next, expiresAt } = await makeRotatedKey(5)
    expect((await me(old)).status).toBe(200)
    await useUntilRefused(api, old, expiresAt)
    const { status, body } = await me(next)
    expect(status).toBe(200)
    expect(body.key.previous_secret_expires_at).toBeNull()
  })
})

describe('GET /auth/me: expiry', () => {
  test('a key stops working when it expires, even right after a request', async () => {
    const tenant = await api.makeTenant()
    const expiresAt = new Date(Date.now() + 5_000)
    const { token } = await tenant.makeKey({ expiresAt })
    expect((await me(token)).status).toBe(200)
    await useUntilRefused(api, token, expiresAt.getTime())
  })
})

describe('GET /auth/me: a change applies to the next request', () => {
  test('to another API process too', async () => {
    const { admin: key } = await api.makeAdmin()
    for (const each of [api, other]) {
      expect((await each.call('get', '/auth/me', { token: key.token })).status).toBe(200)
    }
    await api.callInternal('delete', `/users/${key.userId}`)
    for (const each of [api, other]) {
      const response = await each.call('get', '/auth/me', { token: key.token })
      expect(refusalOf(response)).toEqual({ status: 401, code: 'invalid_api_key' })
    }
  })
})

const other = useApi()
