import { createKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import {
  changesKeys,
  dumpKeyTables,
  makeKeyWith,
  makePeople,
  pass,
  rotate,
  showKey,
  statusWith,
  useUntilRefused,
} from '../support/keys.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()

testAccess(api, { verb: 'post', path: `/api-keys/${createKeyToken().id}/rotate` }, changesKeys)

const denied = { status: 403, code: 'permission_denied' }
const conflict = { status: 409, code: 'conflict' }

const send = (token: string, id: string, body?: unknown) =>
  api.call('post', `/api-keys/${id}/rotate`, { token, body })

const endsOf = async (keyId: string) => {
  const secrets = await api.database.prisma.apiKeySecret.findMany({ where: { keyId } })
  return secrets.map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity).toSorted((a, b) => a - b)
}

const statusesWith = (tokens: readonly string[]) =>
  Promise.all(tokens.map((token) => statusWith(api, token)))

describe('POST /api-keys/{id}/rotate: without an overlap period', () => {
  test.each([undefined, {}, { grace_seconds: 0 }])(
    '200 with the body %j returns a new token, and the old one ends immediately',
    async (body) => {
      const { admin } = await api.makeAdmin()
      const made = await makeKeyWith(api, admin.token, {
        scopes: ['sites:read', 'dns:write'],
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        ip_allowlist: ['127.0.0.0/8', '::1'],
        rate_limit_per_minute: 30,
      })
      const before = Date.now()
      const { status, body: rotated } = await send(admin.token, made.id, body)
      expect(status).toBe(200)
      expect(rotated.token).toMatch(/^hctl_[a-z2-7]{12}_[0-9A-Za-z]{38}$/)
      expect(rotated.token.split('_')[1]).toBe(made.id)
      expect(rotated.key).toEqual({
        ...made.key,
        rotated_at: expect.any(String),
        updated_at: expect.any(String),
      })
      expect(Date.parse(rotated.key.rotated_at)).toBeGreaterThanOrEqual(before)
      expect(await statusWith(api, made.token)).toBe(401)
      expect(await statusWith(api, rotated.token)).toBe(200)
    },
  )

  test('a key can rotate itself', async () => {
    const { admin } = await api.makeAdmin()
    const next = await rotate(api, admin.token, admin.id)
    expect(await statusWith(api, admin.token)).toBe(401)
    expect(await statusWith(api, next)).toBe(200)
  })

  test('a rotation also ends every earlier secret, even in its overlap period', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const second = await rotate(api, admin.token, made.id, 3_600)
    const third = await rotate(api, admin.token, made.id, 3_600)
    const last = await rotate(api, admin.token, made.id, 0)
    for (const token of [made.token, second, third]) expect(await statusWith(api, token)).toBe(401)
    expect(await statusWith(api, last)).toBe(200)
    const { previous_secret_expires_at } = await showKey(api, admin.token, made.id)
    expect(previous_secret_expires_at).toBeNull()
    expect(await endsOf(made.id)).toEqual([Infinity])
  })
})

describe('POST /api-keys/{id}/rotate: with an overlap period', () => {
  test('200 shows when the old secret ends, and both secrets work until then', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const before = Date.now()
    const { body } = await send(admin.token, made.id, { grace_seconds: 86_400 })
    const end = Date.parse(body.key.previous_secret_expires_at)
    expect(end).toBeGreaterThanOrEqual(before + 86_400_000)
    expect(end).toBeLessThanOrEqual(Date.now() + 86_400_000)
    expect(await statusWith(api, made.token)).toBe(200)
    expect(await statusWith(api, body.token)).toBe(200)
    expect(body.key.status).toBe('active')
  })

  test('the old secret ends at the end of its overlap period, even if it was just used', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const { body } = await send(admin.token, made.id, { grace_seconds: 5 })
    const end = Date.parse(body.key.previous_secret_expires_at)
    expect(await statusWith(api, made.token)).toBe(200)
    await useUntilRefused(api, made.token, end)
    expect(await statusWith(api, body.token)).toBe(200)
    const { previous_secret_expires_at } = await showKey(api, admin.token, made.id)
    expect(previous_secret_expires_at).toBeNull()
  })

  test('the old secret ends when the key expires, if that is earlier', async () => {
    const { admin } = await api.makeAdmin()
    const expiresAt = Date.now() + 5_000
    const expires_at = new Date(expiresAt).toISOString()
    const made = await makeKeyWith(api, admin.token, { expires_at })
    const next = await rotate(api, admin.token, made.id, 3_600)
    expect(await statusWith(api, made.token)).toBe(200)
    await useUntilRefused(api, made.token, expiresAt)
    expect(await statusWith(api, next)).toBe(401)
  })

  test('several overlap periods run side by side, and each secret ends at its own time', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const graces = [1_000, 90, 86_400, 60]
    const tokens = [made.token]
    const before = Date.now()
    for (const graceSeconds of graces)
      tokens.push(await rotate(api, admin.token, made.id, graceSeconds))
    const after = Date.now()
    expect(new Set(await statusesWith(tokens))).toEqual(new Set([200]))
    const ends = await endsOf(made.id)
    for (const [index, graceSeconds] of graces.toSorted((a, b) => a - b).entries()) {
      expect(ends[index]).toBeGreaterThanOrEqual(before + graceSeconds * 1_000)
      expect(ends[index]).toBeLessThanOrEqual(after + graceSeconds * 1_000)
    }
    expect(ends.at(-1)).toBe(Infinity)
    const { previous_secret_expires_at } = await showKey(api, admin.token, made.id)
    expect(Date.parse(previous_secret_expires_at!)).toBe(ends.at(-2))
    await pass(api, 60_000, made.id)
    // After a change of the key, the gate reads it again.
    const change = { token: admin.token, body: { name: 'Later' } }
    expect((await api.call('patch', `/api-keys/${made.id}`, change)).status).toBe(200)
    expect(await statusesWith(tokens)).toEqual([200, 200, 200, 401, 200])
  })

  test('409 conflict with 10 valid secrets, without any change, until one of them ends', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const tokens = [made.token]
    for (let count = 0; count < 8; count++) {
      tokens.push(await rotate(api, admin.token, made.id, 3_600))
    }
    tokens.push(await rotate(api, admin.token, made.id, 60))
    const refused = await send(admin.token, made.id, { grace_seconds: 3_600 })
    expect(refusalOf(refused)).toEqual(conflict)
    expect(new Set(await statusesWith(tokens))).toEqual(new Set([200]))
    await pass(api, 60_000, made.id)
    const next = await rotate(api, admin.token, made.id, 3_600)
    expect(await statusWith(api, tokens[8]!)).toBe(401)
    for (const token of [...tokens.toSpliced(8, 1), next]) {
      expect(await statusWith(api, token)).toBe(200)
    }
  })

  test('with 10 valid secrets a rotation without an overlap period succeeds', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    for (let count = 0; count < 9; count++) await rotate(api, admin.token, made.id, 60)
    const next = await rotate(api, admin.token, made.id)
    expect(await statusWith(api, next)).toBe(200)
    expect(await statusWith(api, made.token)).toBe(401)
  })
})

describe('POST /api-keys/{id}/rotate: permissions', () => {
  test('only its owner can rotate a personal key', async () => {
    const tenant = await api.makeTenant()
    const people = await makePeople(tenant)
    const { id, token } = people.reseller
    expect(refusalOf(await send(people.admin.token, id))).toEqual(denied)
    expect(refusalOf(await send(people.support.token, id))).toEqual(denied)
    expect(refusalOf(await send(people.customer.token, id))).toEqual(notFound)
    const organization = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    expect(refusalOf(await send(organization.token, id))).toEqual(denied)
    expect(await statusWith(api, token)).toBe(200)
    expect(await statusWith(api, await rotate(api, token, id))).toBe(200)
  })

  test('a key of the organization can be rotated by admins and by itself', async () => {
    const people = await makePeople(await api.makeTenant())
    const made = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    expect(refusalOf(await send(people.support.token, made.id))).toEqual(denied)
    expect(refusalOf(await send(people.reseller.token, made.id))).toEqual(notFound)
    expect(refusalOf(await send(people.customer.token, made.id))).toEqual(notFound)
    expect(await statusWith(api, made.token)).toBe(200)
    const second = await rotate(api, people.admin.token, made.id)
    expect(await statusWith(api, await rotate(api, second, made.id))).toBe(200)
  })

  test("404 is the same for a missing key, another organization's key and an invalid id", async () => {
    const { admin } = await api.makeAdmin()
    const stranger = await api.makeAdmin()
    for (const id of [createKeyToken().id, stranger.admin.id, 'nonsense', 'A'.repeat(12)]) {
      expect(refusalOf(await send(admin.token, id))).toEqual(notFound)
    }
    expect(await statusWith(api, stranger.admin.token)).toBe(200)
  })

  test('a secret in its overlap period can rotate the key, an expired one cannot', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    await rotate(api, admin.token, made.id, 60)
    const next = await rotate(api, made.token, made.id)
    expect((await send(made.token, made.id)).status).toBe(401)
    expect(await statusWith(api, next)).toBe(200)
  })
})

describe('POST /api-keys/{id}/rotate: side effects', () => {
  test('the audit log shows who rotated which key with which overlap period, and contains no secret', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const response = await send(admin.token, made.id, { grace_seconds: 60 })
    const entries = await auditOf(api, tenant.id)
    expect(entries.slice(1)).toEqual([
      expect.objectContaining({
        action: 'api_key.rotate',
        outcome: 'success',
        actorType: 'user',
        actorId: admin.userId,
        actorKeyId: admin.id,
        targetType: 'api_key',
        targetId: made.id,
        ip: '127.0.0.1',
        requestId: response.headers['x-request-id'],
        details: { grace_seconds: 60 },
      }),
    ])
    const dump = await dumpKeyTables(api)
    for (const token of [made.token, response.body.token]) {
      expect(dump).not.toContain(token.split('_')[2])
    }
  })
})
