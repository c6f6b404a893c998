import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import { badAddresses, badKeyFields } from '../support/bad-key-fields.ts'
import { makeKeyWith, showKey, type KeyFields } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()

const wider = { status: 403, code: 'api_key_wider_than_caller' }

const update = (token: string, id: string, body: unknown) =>
  api.call('patch', `/api-keys/${id}`, { token, body })

describe('PATCH /api-keys/{id}: keys wider than the caller after the change', () => {
  const limits: KeyFields = {
    scopes: ['apikeys:write', 'sites:write'],
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    ip_allowlist: ['127.0.0.0/8'],
    rate_limit_per_minute: 60,
  }
  let admin: TestKey
  let limited = ''
  beforeAll(async () => {
    admin = (await api.makeAdmin()).admin
    limited = (await makeKeyWith(api, admin.token, limits)).token
  })

  async function expectWider(made: KeyFields, change: KeyFields, aspect: string) {
    const { key } = await makeKeyWith(api, admin.token, made)
    const response = await update(limited, key.id, change)
    expect(refusalOf(response)).toEqual(wider)
    expect(response.body.detail).toContain(aspect)
    expect(await showKey(api, admin.token, key.id)).toEqual(key)
  }

  test.each<[change: KeyFields, aspect: string]>([
    [{ scopes: ['sites:write', 'dns:read'] }, 'scopes'],
    [{ scopes: ['*'] }, 'scopes'],
    [{ ip_allowlist: ['126.0.0.0/7'] }, 'ip_allowlist'],
    [{ ip_allowlist: ['10.0.0.1'] }, 'ip_allowlist'],
    [{ ip_allowlist: null }, 'ip_allowlist'],
    [{ rate_limit_per_minute: 61 }, 'rate_limit_per_minute'],
  ])('403 api_key_wider_than_caller for the change %j', (change, aspect) =>
    expectWider(limits, change, aspect),
  )

  test.each<[made: KeyFields, aspect: string]>([
    [{ ...limits, scopes: ['dns:read'] }, 'scopes'],
    [{ ...limits, expires_at: null }, 'expires_at'],
    [{ ...limits, ip_allowlist: null }, 'ip_allowlist'],
    [{ ...limits, rate_limit_per_minute: 61 }, 'rate_limit_per_minute'],
  ])(
    '403 api_key_wider_than_caller for a new name of the key %j, which stays wider by %s',
    (made, aspect) => expectWider(made, { name: 'New' }, aspect),
  )

  test('200 for a change that does not widen a key that is already wider than the caller', async () => {
    const { id } = await makeKeyWith(api, admin.token, {
      ...limits,
      scopes: ['*'],
      ip_allowlist: null,
      rate_limit_per_minute: 600,
    })
    const { scopes, ip_allowlist, rate_limit_per_minute } = limits
    const narrowed = { scopes, ip_allowlist, rate_limit_per_minute }
    const { status, body } = await update(limited, id, narrowed)
    expect(status).toBe(200)
    expect(body.key).toMatchObject(narrowed)
  })

  test('a key can narrow itself but not widen itself again', async () => {
    const { id, token } = await makeKeyWith(api, admin.token, limits)
    const narrow = { scopes: ['apikeys:write'], rate_limit_per_minute: 30 }
    expect((await update(token, id, narrow)).status).toBe(200)
    expect(refusalOf(await update(token, id, { rate_limit_per_minute: 31 }))).toEqual(wider)
    expect(refusalOf(await update(token, id, { scopes: limits.scopes }))).toEqual(wider)
  })
})

describe('PATCH /api-keys/{id}: invalid bodies', () => {
  let tenant: TestTenant
  let admin: TestKey
  beforeAll(async () => {
    const made = await api.makeAdmin()
    tenant = made.tenant
    admin = made.admin
  })

  async function expectRefused(body: unknown, ...pointers: string[]) {
    const headers = { 'content-type': 'application/json' }
    const options = { token: admin.token, body, headers }
    const response = await api.call('patch', `/api-keys/${admin.id}`, options)
    expect(refusalOf(response)).toEqual(invalid(...pointers))
    expect(await auditOf(api, tenant.id)).toEqual([])
  }

  test.each<[what: string, change: Record<string, unknown>, ...pointers: string[]]>([
    ...badKeyFields,
    ['an end', { expires_at: '2199-01-01T00:00:00Z' }, '/expires_at'],
    ['no end', { expires_at: null }, '/expires_at'],
    ['a kind', { kind: 'organization' }, '/kind'],
    ['a status', { status: 'active' }, '/status'],
    ['an id', { id: 'x' }, '/id'],
  ])('422 validation_failed names the invalid members: %s', (_what, change, ...pointers) =>
    expectRefused(change, ...pointers),
  )

  test.each(badAddresses)('422 names the entry of an allowlist with %s: %j', (_what, entry) =>
    expectRefused({ ip_allowlist: ['::1', entry] }, '/ip_allowlist/1'),
  )

  test.each([undefined, 'null', [], '1'])('422 for the body %j', (body) => expectRefused(body, ''))
})
