import { createKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import {
  changesKeys,
  makeKeyWith,
  makePeople,
  showKey,
  statusWith,
  type KeyFields,
} from '../support/keys.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()
const other = useApi()

testAccess(
  api,
  { verb: 'patch', path: `/api-keys/${createKeyToken().id}`, body: { name: 'New' } },
  changesKeys,
)

const denied = { status: 403, code: 'permission_denied' }

const update = (token: string, id: string, body: unknown) =>
  api.call('patch', `/api-keys/${id}`, { token, body })

describe('PATCH /api-keys/{id}', () => {
  test.each<KeyFields>([
    { name: 'New' },
    { name: '-'.repeat(100) },
    { scopes: ['*:read', 'sites:write'] },
    { ip_allowlist: ['10.0.0.0/8', '2001:db8::/32'] },
    { ip_allowlist: null },
    { rate_limit_per_minute: 1 },
    { rate_limit_per_minute: 600 },
  ])('200 changes %j and nothing else', async (change) => {
    const { admin } = await api.makeAdmin()
    const { key } = await makeKeyWith(api, admin.token, {
      ip_allowlist: ['127.0.0.1'],
      rate_limit_per_minute: 30,
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    const { status, body } = await update(admin.token, key.id, change)
    expect(status).toBe(200)
    const expected = { ...key, ...change, updated_at: body.key.updated_at }
    expect(body).toEqual({ key: expected })
    expect(Date.parse(body.key.updated_at)).toBeGreaterThan(Date.parse(key.updated_at))
    expect(await showKey(api, admin.token, key.id)).toEqual(expected)
  })

  test('200 changes all given members together, and nothing if the body is empty', async () => {
    const { admin } = await api.makeAdmin()
    const { id } = await makeKeyWith(api, admin.token)
    const change = {
      name: 'New',
      scopes: ['dns:read'],
      ip_allowlist: ['127.0.0.1'],
      rate_limit_per_minute: 5,
    }
    expect((await update(admin.token, id, change)).body.key).toMatchObject(change)
    expect((await update(admin.token, id, {})).body.key).toMatchObject(change)
  })

  test('the response contains no token, and the token does not change', async () => {
    const { admin } = await api.makeAdmin()
    const { id, token } = await makeKeyWith(api, admin.token)
    const { body, text } = await update(admin.token, id, { name: 'New' })
    expect(Object.keys(body)).toEqual(['key'])
    expect(text).not.toContain(token.split('_')[2])
    expect(await statusWith(api, token)).toBe(200)
  })

  test('the service user of an organization key is renamed with the key', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token, { kind: 'organization' })
    const { body } = await update(admin.token, made.id, { name: 'Backup' })
    expect(body.key).toMatchObject({ name: 'Backup', user: { ...made.key.user, name: 'Backup' } })
    const me = await api.call('get', '/auth/me', { token: made.token })
    expect(me.body).toMatchObject({ user: { name: 'Backup' }, key: { name: 'Backup' } })
  })

  test('the user of a personal key keeps its name', async () => {
    const { admin } = await api.makeAdmin()
    const { body } = await update(admin.token, admin.id, { name: 'New' })
    expect(body.key).toMatchObject({ name: 'New', user: { id: admin.userId, name: 'Ana' } })
  })

  test('the audit log shows who changed what', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const { id } = await makeKeyWith(api, admin.token, { scopes: ['sites:read'] })
    const response = await update(admin.token, id, { name: 'New', ip_allowlist: ['10.0.0.0/8'] })
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual([
      expect.objectContaining({
        action: 'api_key.update',
        outcome: 'success',
        actorType: 'user',
        actorId: admin.userId,
        actorKeyId: admin.id,
        targetType: 'api_key',
        targetId: id,
        ip: '127.0.0.1',
        requestId: response.headers['x-request-id'],
        details: {
          name: 'New',
          before: { name: 'Deploy', ip_allowlist: null },
          after: { name: 'New', ip_allowlist: ['10.0.0.0/8'] },
        },
      }),
    ])
  })

  test('concurrent changes of different members are all kept', async () => {
    const { admin } = await api.makeAdmin()
    const { id } = await makeKeyWith(api, admin.token)
    const changes = [
      { name: 'New' },
      { scopes: ['dns:read'] },
      { ip_allowlist: ['127.0.0.1'] },
      { rate_limit_per_minute: 5 },
    ]
    const responses = await Promise.all(changes.map((change) => update(admin.token, id, change)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await showKey(api, admin.token, id)).toMatchObject(Object.assign({}, ...changes))
  })
})

describe('PATCH /api-keys/{id}: a change applies to the next request on every process', () => {
  const readWebhooks = (each: typeof api, token: string) => each.call('get', '/webhooks', { token })

  async function makeWarmKey() {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    for (const each of [api, other]) expect((await readWebhooks(each, made.token)).status).toBe(200)
    return { admin, ...made }
  }

  test.each<[change: KeyFields, status: number, code: string]>([
    [{ scopes: ['sites:read'] }, 403, 'insufficient_scope'],
    [{ ip_allowlist: ['203.0.113.7'] }, 403, 'api_key_ip_denied'],
    [{ rate_limit_per_minute: 2 }, 429, 'rate_limited'],
  ])('%j: the key gets %i %s', async (change, status, code) => {
    const { admin, id, token } = await makeWarmKey()
    expect((await update(admin.token, id, change)).status).toBe(200)
    for (const each of [other, api]) {
      expect(refusalOf(await readWebhooks(each, token))).toEqual({ status, code })
    }
  })

  test('widened access works from the next request on', async () => {
    const { admin, id, token } = await makeWarmKey()
    await update(admin.token, id, { ip_allowlist: ['203.0.113.7'], scopes: ['dns:read'] })
    await update(admin.token, id, { ip_allowlist: null, scopes: ['webhooks:read'] })
    for (const each of [other, api]) expect((await readWebhooks(each, token)).status).toBe(200)
  })
})

describe('PATCH /api-keys/{id}: permissions', () => {
  test('only its owner can change a personal key', async () => {
    const people = await makePeople(await api.makeTenant())
    const { id, token } = people.reseller
    const before = await showKey(api, token, id)
    const organization = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    for (const each of [people.admin, people.support, organization]) {
      expect(refusalOf(await update(each.token, id, { name: 'New' }))).toEqual(denied)
    }
    expect(refusalOf(await update(people.customer.token, id, { name: 'New' }))).toEqual(notFound)
    expect((await showKey(api, token, id)).name).toBe(before.name)
    expect((await update(token, id, { name: 'New' })).status).toBe(200)
  })

  test('admins and keys of the organization can change an organization key', async () => {
    const people = await makePeople(await api.makeTenant())
    const { id, token } = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    const change = { name: 'New' }
    expect(refusalOf(await update(people.support.token, id, change))).toEqual(denied)
    expect(refusalOf(await update(people.reseller.token, id, change))).toEqual(notFound)
    expect(refusalOf(await update(people.customer.token, id, change))).toEqual(notFound)
    expect((await update(people.admin.token, id, change)).status).toBe(200)
    expect((await update(token, id, change)).status).toBe(200)
  })

  test("404 is the same for a missing key, another organization's key and an invalid id", async () => {
    const { admin } = await api.makeAdmin()
    const stranger = await api.makeAdmin()
    for (const id of [createKeyToken().id, stranger.admin.id, 'nonsense', '1'.repeat(12)]) {
      expect(refusalOf(await update(admin.token, id, { name: 'New' }))).toEqual(notFound)
    }
    expect(await auditOf(api, stranger.tenant.id)).toEqual([])
  })
})
