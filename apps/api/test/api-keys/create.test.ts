import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import { badAddresses, badKeyFields } from '../support/bad-key-fields.ts'
import {
  changesKeys,
  dumpKeyTables,
  makeKeyWith,
  makePeople,
  showKey,
  statusWith,
  type KeyFields,
} from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
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
const inTwoHours = () => new Date(Date.now() + 7_200_000).toISOString()

async function asAdmin() {
  const tenant = await api.makeTenant()
  return { tenant, admin: await tenant.makeKey() }
}

const create = (token: string, body: unknown) => api.call('post', '/api-keys', { token, body })

const countKeys = (tenantId: string) => api.database.prisma.apiKey.count({ where: { tenantId } })

describe('a personal key', () => {
  test('201 shows the key with the defaults of what was not named', async () => {
    const { admin } = await asAdmin()
    const { status, body } = await create(admin.token, { name: 'Deploy', scopes: ['sites:write'] })
    expect(status).toBe(201)
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body).toEqual({
      key: {
        id: expect.stringMatching(/^[a-z2-7]{12}$/),
        name: 'Deploy',
        kind: 'personal',
        source: 'api',
        scopes: ['sites:write'],
        status: 'active',
        expires_at: null,
        ip_allowlist: null,
        rate_limit_per_minute: 600,
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
      },
      token: expect.stringMatching(/^hctl_[a-z2-7]{12}_[0-9A-Za-z]{38}$/),
    })
    expect(body.token.split('_')[1]).toBe(body.key.id)
    expect(Math.abs(Date.parse(body.key.created_at) - Date.now())).toBeLessThan(5_000)
  })

  test('201 keeps every member, and the single answer shows the same', async () => {
    const { admin } = await asAdmin()
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

  test('the token works for what its scopes and the role of its user allow', async () => {
    const { admin } = await asAdmin()
    const { token } = await makeKeyWith(api, admin.token, { scopes: ['webhooks:read'] })
    expect((await api.call('get', '/webhooks', { token })).status).toBe(200)
    const refused = await api.call('get', '/api-keys', { token })
    expect(refusalOf(refused)).toEqual({ status: 403, code: 'insufficient_scope' })
    const { body } = await api.call('get', '/auth/me', { token })
    expect(body.user.id).toBe(admin.userId)
  })

  test('the token is in this answer alone: no later answer and no table holds its secret', async () => {
    const { tenant, admin } = await asAdmin()
    const headers = { 'idempotency-key': 'once' }
    const body = { name: 'Deploy', scopes: ['*'] }
    const created = await api.call('post', '/api-keys', { token: admin.token, body, headers })
    const { key, token } = created.body
    const secret = token.split('_')[2]
    const answers = await Promise.all(
      ['/api-keys', `/api-keys/${key.id}`, '/audit-log', `/api-keys/${key.id}/usage`].map((path) =>
        api.call('get', path, { token: admin.token }),
      ),
    )
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).not.toContain(secret)
    }
    expect(JSON.stringify(await auditOf(api, tenant.id))).not.toContain(secret)
    const dump = await dumpKeyTables(api)
    expect(dump).toContain(key.id)
    expect(dump).not.toContain(secret)
    expect(dump).not.toContain(Buffer.from(secret).toString('hex'))
  })

  test('support, reseller and customer make keys of their own', async () => {
    const people = await makePeople(await api.makeTenant())
    for (const person of [people.support, people.reseller, people.customer]) {
      const { key, token } = await makeKeyWith(api, person.token)
      expect(key.user.id).toBe(person.userId)
      expect(await statusWith(api, token)).toBe(200)
    }
  })

  test('scopes never lift what the role permits', async () => {
    const { customer } = await makePeople(await api.makeTenant())
    const { token } = await makeKeyWith(api, customer.token, { scopes: ['*'] })
    expect(refusalOf(await api.call('get', '/webhooks', { token }))).toEqual(denied)
  })

  test('two of the same members are two keys', async () => {
    const { admin } = await asAdmin()
    const [one, other] = [await makeKeyWith(api, admin.token), await makeKeyWith(api, admin.token)]
    expect(one.id).not.toBe(other.id)
    expect(await statusWith(api, one.token)).toBe(200)
    expect(await statusWith(api, other.token)).toBe(200)
  })

  test('repeated scopes and addresses count once', async () => {
    const { admin } = await asAdmin()
    const { key } = await makeKeyWith(api, admin.token, {
      scopes: ['sites:read', '*:read', 'sites:read'],
      ip_allowlist: ['10.0.0.0/8', '10.0.0.0/8'],
    })
    expect(key).toMatchObject({
      scopes: ['sites:read', '*:read'],
      ip_allowlist: ['10.0.0.0/8'],
    })
  })

  test('a time with an offset is kept as the same moment in UTC', async () => {
    const { admin } = await asAdmin()
    const expires_at = '2199-12-31T23:30:00+02:00'
    const { key } = await makeKeyWith(api, admin.token, { expires_at })
    expect(key.expires_at).toBe('2199-12-31T21:30:00.000Z')
  })

  test('an allow-list takes 100 entries', async () => {
    const { admin } = await asAdmin()
    const ip_allowlist = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`)
    const { key } = await makeKeyWith(api, admin.token, { ip_allowlist })
    expect(key.ip_allowlist).toEqual(ip_allowlist)
  })

  test('the audit log shows who made which key, from where and by which request', async () => {
    const { tenant, admin } = await asAdmin()
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
        details: { kind: 'personal', ...fields },
      }),
    ])
  })
})

describe('an organization key', () => {
  const organization = { kind: 'organization', name: 'Deploy' } as const

  test('201 has a service user of its own, named after it, with role admin and no way to sign in', async () => {
    const { tenant, admin } = await asAdmin()
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

  test('it outlives the people who made it', async () => {
    const { admin } = await asAdmin()
    const { token } = await makeKeyWith(api, admin.token, organization)
    await api.callInternal('delete', `/users/${admin.userId}`)
    expect(await statusWith(api, admin.token)).toBe(401)
    expect(await statusWith(api, token)).toBe(200)
    const made = await makeKeyWith(api, token, organization)
    expect(await statusWith(api, made.token)).toBe(200)
  })

  test('it makes keys of the organization, and the audit log names its service user', async () => {
    const { tenant, admin } = await asAdmin()
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
      const { tenant, admin } = await asAdmin()
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

describe('no wider than the caller', () => {
  const limits = {
    scopes: ['apikeys:write', 'sites:write', 'dns:read'],
    expires_at: inOneHour(),
    ip_allowlist: ['127.0.0.1', '10.0.0.0/9', '10.128.0.0/9', '2001:db8::/32'],
    rate_limit_per_minute: 60,
  }
  const good: KeyFields = { ...limits, name: 'Child' }

  let tenant: TestTenant
  let admin: TestKey
  let limited = ''
  beforeAll(async () => {
    const made = await asAdmin()
    tenant = made.tenant
    admin = made.admin
    limited = (await makeKeyWith(api, admin.token, limits)).token
  })

  test.each<[what: string, change: KeyFields]>([
    ['exactly as wide', {}],
    ['fewer scopes', { scopes: ['dns:read'] }],
    ['a read scope of a write scope', { scopes: ['sites:read'] }],
    ['an earlier end', { expires_at: new Date(Date.now() + 60_000).toISOString() }],
    ['one address of a network', { ip_allowlist: ['10.1.2.3'] }],
    ['a narrower network', { ip_allowlist: ['10.1.0.0/16', '2001:db8:1::/48'] }],
    ['a network that two entries cover together', { ip_allowlist: ['10.0.0.0/8'] }],
    ['a mapped address of a network', { ip_allowlist: ['::ffff:10.1.2.3'] }],
    ['a lower limit', { rate_limit_per_minute: 1 }],
    ['a key of the organization', { kind: 'organization' }],
  ])('201 for %s', async (_what, change) => {
    expect((await create(limited, { ...good, ...change })).status).toBe(201)
  })

  test.each<[what: string, change: Record<string, unknown>, aspect: string]>([
    ['another scope', { scopes: ['dns:read', 'mail:read'] }, 'scopes'],
    ['the write scope of a read scope', { scopes: ['dns:write'] }, 'scopes'],
    ['every read scope', { scopes: ['*:read'] }, 'scopes'],
    ['every scope', { scopes: ['*'] }, 'scopes'],
    ['a later end', { expires_at: inTwoHours() }, 'expires_at'],
    ['no end', { expires_at: null }, 'expires_at'],
    ['an end that is not named', { expires_at: undefined }, 'expires_at'],
    ['an address outside the list', { ip_allowlist: ['127.0.0.1', '127.0.0.2'] }, 'ip_allowlist'],
    ['a wider network', { ip_allowlist: ['10.0.0.0/7'] }, 'ip_allowlist'],
    ['a wider network of IPv6', { ip_allowlist: ['2001:db8::/31'] }, 'ip_allowlist'],
    ['every address of IPv4', { ip_allowlist: ['0.0.0.0/0'] }, 'ip_allowlist'],
    ['no list', { ip_allowlist: null }, 'ip_allowlist'],
    ['a list that is not named', { ip_allowlist: undefined }, 'ip_allowlist'],
    ['a higher limit', { rate_limit_per_minute: 61 }, 'rate_limit_per_minute'],
    ['a limit that is not named', { rate_limit_per_minute: undefined }, 'rate_limit_per_minute'],
    ['a wider key of the organization', { kind: 'organization', scopes: ['*'] }, 'scopes'],
  ])('403 api_key_wider_than_caller for %s', async (_what, change, aspect) => {
    const before = await countKeys(tenant.id)
    const response = await create(limited, { ...good, ...change })
    expect(refusalOf(response)).toEqual(wider)
    expect(response.body.detail).toContain(aspect)
    expect(await countKeys(tenant.id)).toBe(before)
  })

  test('the refusal is in the audit log', async () => {
    const { key, token } = await makeKeyWith(api, admin.token, { scopes: ['apikeys:write'] })
    const response = await create(token, { name: 'Child', scopes: ['*'] })
    expect((await auditOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'api_key.refuse',
      outcome: 'refused',
      reason: 'api_key_wider_than_caller',
      actorType: 'user',
      actorId: admin.userId,
      actorKeyId: key.id,
      targetType: 'api_key',
      targetId: key.id,
      requestId: response.headers['x-request-id'],
    })
  })
})

describe('bad bodies', () => {
  const good = { name: 'Deploy', scopes: ['sites:read'] }
  let tenant: TestTenant
  let token = ''
  beforeAll(async () => {
    const made = await asAdmin()
    tenant = made.tenant
    token = made.admin.token
  })

  async function expectRefused(body: unknown, ...pointers: string[]) {
    const headers = { 'content-type': 'application/json' }
    const response = await api.call('post', '/api-keys', { token, body, headers })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
    expect(await countKeys(tenant.id)).toBe(1)
  }

  test.each<[what: string, change: Record<string, unknown>, ...pointers: string[]]>([
    ...badKeyFields,
    ['no name', { name: undefined }, '/name'],
    ['no scopes', { scopes: undefined }, '/scopes'],
    ['an unknown kind', { kind: 'service' }, '/kind'],
    ['a kind of null', { kind: null }, '/kind'],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    ['an end a moment ago', { expires_at: new Date(Date.now() - 1).toISOString() }, '/expires_at'],
    ['an end without a time', { expires_at: '2199-01-01' }, '/expires_at'],
    ['an end without an offset', { expires_at: '2199-01-01T00:00:00' }, '/expires_at'],
    ['an end on a day that is none', { expires_at: '2199-02-30T00:00:00Z' }, '/expires_at'],
    ['an end that is a number', { expires_at: 4_102_444_800 }, '/expires_at'],
    ['an end in words', { expires_at: 'never' }, '/expires_at'],
  ])('422 validation_failed names the members at fault: %s', async (_what, change, ...pointers) => {
    await expectRefused({ ...good, ...change }, ...pointers)
  })

  test.each(badAddresses)(
    '422 names the entry of an allow-list with %s: %j',
    async (_what, entry) => {
      await expectRefused({ ...good, ip_allowlist: ['10.0.0.0/8', entry] }, '/ip_allowlist/1')
    },
  )

  test.each([undefined, 'null', [], '"text"', '1'])('422 for the body %j', (body) =>
    expectRefused(body, ''),
  )

  test('400 malformed_json, 415 unsupported_media_type, 413 payload_too_large', async () => {
    const send = (body: string, type: string) =>
      api.call('post', '/api-keys', { token, body, headers: { 'content-type': type } })
    expect((await send('{"name"', 'application/json')).body.code).toBe('malformed_json')
    expect((await send('name=x', 'text/plain')).body.code).toBe('unsupported_media_type')
    const large = JSON.stringify({ name: 'a'.repeat(300 * 1024) })
    expect((await send(large, 'application/json')).body.code).toBe('payload_too_large')
  })

  test('the role of an organization key is judged before its body', async () => {
    const { customer } = await makePeople(tenant)
    const body = { ...good, kind: 'organization', scopes: ['nonsense'], ip_allowlist: ['x'] }
    expect(refusalOf(await create(customer.token, body))).toEqual(denied)
  })
})
