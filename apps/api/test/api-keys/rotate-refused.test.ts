import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import { makeKeyWith, pass, rotate, statusWith } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()

const conflict = { status: 409, code: 'conflict' }

const send = (token: string, id: string, body?: unknown) =>
  api.call('post', `/api-keys/${id}/rotate`, { token, body })

const endsOf = async (keyId: string) => {
  const secrets = await api.database.prisma.apiKeySecret.findMany({ where: { keyId } })
  return secrets.map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity).toSorted((a, b) => a - b)
}

describe('POST /api-keys/{id}/rotate: keys wider than the caller', () => {
  const expiresAt = new Date(Date.now() + 3_600_000)
  const limits = {
    scopes: ['apikeys:write', 'dns:read'],
    expires_at: expiresAt.toISOString(),
    ip_allowlist: ['127.0.0.0/8'],
    rate_limit_per_minute: 60,
  }
  let admin: TestKey
  let limited = ''
  beforeAll(async () => {
    admin = (await api.makeAdmin()).admin
    limited = (await makeKeyWith(api, admin.token, limits)).token
  })

  test.each([
    ['scopes', { scopes: ['dns:write'] }],
    ['expires_at', { expires_at: null }],
    ['expires_at', { expires_at: new Date(expiresAt.getTime() + 1).toISOString() }],
    ['ip_allowlist', { ip_allowlist: null }],
    ['ip_allowlist', { ip_allowlist: ['127.0.0.1', '10.0.0.1'] }],
    ['rate_limit_per_minute', { rate_limit_per_minute: 61 }],
  ])('403 api_key_wider_than_caller for a key that is wider by %s: %j', async (aspect, change) => {
    const made = await makeKeyWith(api, admin.token, { ...limits, ...change })
    const response = await send(limited, made.id)
    expect(refusalOf(response)).toEqual({ status: 403, code: 'api_key_wider_than_caller' })
    expect(response.body.detail).toContain(aspect)
    expect(await statusWith(api, made.token)).toBe(200)
  })

  test('200 for a key that is as wide as the caller, and for the caller itself', async () => {
    const made = await makeKeyWith(api, admin.token, limits)
    const next = await rotate(api, limited, made.id)
    expect(await statusWith(api, await rotate(api, next, made.id))).toBe(200)
  })
})

describe('POST /api-keys/{id}/rotate: errors', () => {
  let tenant: TestTenant
  let admin: TestKey
  beforeAll(async () => {
    const made = await api.makeAdmin()
    tenant = made.tenant
    admin = made.admin
  })

  test('409 conflict for a revoked key', async () => {
    const made = await makeKeyWith(api, admin.token)
    await api.call('delete', `/api-keys/${made.id}`, { token: admin.token })
    expect(refusalOf(await send(admin.token, made.id))).toEqual(conflict)
    expect(await statusWith(api, made.token)).toBe(401)
  })

  test('409 conflict for an expired key', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const made = await makeKeyWith(api, admin.token, { expires_at })
    await pass(api, 3_600_000, made.id)
    expect(await statusWith(api, made.token)).toBe(401)
    expect(refusalOf(await send(admin.token, made.id))).toEqual(conflict)
    expect(refusalOf(await send(admin.token, made.id, { grace_seconds: 60 }))).toEqual(conflict)
  })

  test.each<[body: unknown, ...pointers: string[]]>([
    [{ grace_seconds: 86_401 }, '/grace_seconds'],
    [{ grace_seconds: -1 }, '/grace_seconds'],
    [{ grace_seconds: 1.5 }, '/grace_seconds'],
    [{ grace_seconds: '60' }, '/grace_seconds'],
    [{ grace_seconds: null }, '/grace_seconds'],
    [{ graceSeconds: 60 }, '/graceSeconds'],
    [{ token: 'mine', grace_seconds: 60 }, '/token'],
    [[], ''],
    ['null', ''],
    ['60', ''],
  ])('422 validation_failed for %j names %s', async (body, ...pointers) => {
    const made = await makeKeyWith(api, admin.token)
    const headers = { 'content-type': 'application/json' }
    const options = { token: admin.token, body, headers }
    const response = await api.call('post', `/api-keys/${made.id}/rotate`, options)
    expect(refusalOf(response)).toEqual(invalid(...pointers))
    expect(await statusWith(api, made.token)).toBe(200)
    const actions = (await auditOf(api, tenant.id)).map(({ action }) => action)
    expect(actions).not.toContain('api_key.rotate')
  })
})

describe('POST /api-keys/{id}/rotate: concurrent requests', () => {
  test('after two concurrent rotations without an overlap period exactly one token works', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    for (let round = 0; round < 5; round++) {
      const tokens = await Promise.all([
        rotate(api, admin.token, made.id),
        rotate(api, admin.token, made.id),
      ])
      const statuses = [await statusWith(api, tokens[0]), await statusWith(api, tokens[1])]
      expect(statuses.toSorted()).toEqual([200, 401])
      expect(await endsOf(made.id)).toEqual([Infinity])
    }
  })

  test('nine of twelve concurrent rotations with an overlap period succeed, and all their tokens work', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => send(admin.token, made.id, { grace_seconds: 60 })),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(9)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
    for (const { body } of responses.filter(({ status }) => status === 200)) {
      expect(await statusWith(api, body.token)).toBe(200)
    }
  })
})
