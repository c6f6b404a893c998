import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import { badAddresses, badKeyFields } from '../support/bad-key-fields.ts'
import { makeKeyWith, makePeople, type KeyFields } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()

const wider = { status: 403, code: 'api_key_wider_than_caller' }
const denied = { status: 403, code: 'permission_denied' }
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()
const inTwoHours = () => new Date(Date.now() + 7_200_000).toISOString()

const create = (token: string, body: unknown) => api.call('post', '/api-keys', { token, body })

const countKeys = (tenantId: string) => api.database.prisma.apiKey.count({ where: { tenantId } })

describe('POST /api-keys: keys wider than the caller', () => {
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
    const made = await api.makeAdmin()
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

describe('POST /api-keys: invalid bodies', () => {
  const good = { name: 'Deploy', scopes: ['sites:read'] }
  let tenant: TestTenant
  let token = ''
  beforeAll(async () => {
    const made = await api.makeAdmin()
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
  ])('422 validation_failed names the invalid members: %s', async (_what, change, ...pointers) => {
    await expectRefused({ ...good, ...change }, ...pointers)
  })

  test.each(badAddresses)(
    '422 names the entry of an allowlist with %s: %j',
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

  test('the role for an organization key is checked before the body', async () => {
    const { customer } = await makePeople(tenant)
    const body = { ...good, kind: 'organization', scopes: ['nonsense'], ip_allowlist: ['x'] }
    expect(refusalOf(await create(customer.token, body))).toEqual(denied)
  })
})
