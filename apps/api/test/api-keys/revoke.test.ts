import { createKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import {
  changesKeys,
  makeKeyWith,
  makePeople,
  pass,
  putPerson,
  rotate,
  showKey,
  statusWith,
} from '../support/keys.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()
const other = useApi()

testAccess(api, { verb: 'delete', path: `/api-keys/${createKeyToken().id}` }, changesKeys)

const denied = { status: 403, code: 'permission_denied' }

const revoke = (token: string, id: string) => api.call('delete', `/api-keys/${id}`, { token })

describe('DELETE /api-keys/{id}', () => {
  test('204, and every process refuses every secret of the key from the next request on', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const next = await rotate(api, admin.token, made.id, 3_600)
    for (const token of [made.token, next]) {
      expect(await statusWith(api, token)).toBe(200)
      expect(await statusWith(other, token)).toBe(200)
    }
    const { status, text } = await revoke(admin.token, made.id)
    expect({ status, text }).toEqual({ status: 204, text: '' })
    for (const token of [made.token, next]) {
      for (const each of [api, other]) {
        const response = await each.call('get', '/auth/me', { token })
        expect(refusalOf(response)).toEqual({ status: 401, code: 'invalid_api_key' })
        expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
      }
    }
  })

  test('the record shows that and when the key was revoked', async () => {
    const { admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const before = Date.now()
    await revoke(admin.token, made.id)
    const shown = await showKey(api, admin.token, made.id)
    expect(shown.status).toBe('revoked')
    expect(Date.parse(shown.revoked_at!)).toBeGreaterThanOrEqual(before)
    const { status: _status, revoked_at: _at, updated_at: _changed, ...rest } = shown
    expect(made.key).toMatchObject(rest)
  })

  test('repeated: 204, no second audit entry, and the same revoked_at', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    await revoke(admin.token, made.id)
    const shown = await showKey(api, admin.token, made.id)
    expect((await revoke(admin.token, made.id)).status).toBe(204)
    expect(await showKey(api, admin.token, made.id)).toEqual(shown)
    const actions = (await auditOf(api, tenant.id)).map(({ action }) => action)
    expect(actions).toEqual(['api_key.create', 'api_key.revoke'])
  })

  test('a key can revoke itself', async () => {
    const { admin } = await api.makeAdmin()
    expect((await revoke(admin.token, admin.id)).status).toBe(204)
    expect((await revoke(admin.token, admin.id)).status).toBe(401)
  })

  test('is permanent: reactivating the user or changing or rotating the key restores nothing', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const person = await tenant.makeKey()
    const made = await makeKeyWith(api, person.token)
    await revoke(person.token, made.id)
    await putPerson(api, tenant, person.userId, { status: 'deactivated' })
    await putPerson(api, tenant, person.userId, {})
    const change = { token: person.token, body: { name: 'Again' } }
    await api.call('patch', `/api-keys/${made.id}`, change)
    await api.call('post', `/api-keys/${made.id}/rotate`, { token: person.token })
    expect(await statusWith(api, made.token)).toBe(401)
    expect((await showKey(api, admin.token, made.id)).status).toBe('revoked')
  })

  test('204 for an expired key, which then has the status revoked', async () => {
    const { admin } = await api.makeAdmin()
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const made = await makeKeyWith(api, admin.token, { expires_at })
    await pass(api, 3_600_000, made.id)
    expect((await showKey(api, admin.token, made.id)).status).toBe('expired')
    expect((await revoke(admin.token, made.id)).status).toBe(204)
    expect((await showKey(api, admin.token, made.id)).status).toBe('revoked')
  })

  test('a key can revoke one that has more access', async () => {
    const { admin } = await api.makeAdmin()
    const narrow = await makeKeyWith(api, admin.token, {
      scopes: ['apikeys:write'],
      expires_at: new Date(Date.now() + 60_000).toISOString(),
      ip_allowlist: ['127.0.0.1'],
      rate_limit_per_minute: 10,
    })
    expect((await revoke(narrow.token, admin.id)).status).toBe(204)
    expect(await statusWith(api, admin.token)).toBe(401)
  })

  test('the audit log shows who revoked which key', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const made = await makeKeyWith(api, admin.token)
    const response = await revoke(admin.token, made.id)
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual([
      expect.objectContaining({
        action: 'api_key.revoke',
        outcome: 'success',
        actorType: 'user',
        actorId: admin.userId,
        actorKeyId: admin.id,
        targetType: 'api_key',
        targetId: made.id,
        ip: '127.0.0.1',
        requestId: response.headers['x-request-id'],
      }),
    ])
  })
})

describe('DELETE /api-keys/{id}: permissions', () => {
  test("an admin can revoke anyone's key", async () => {
    const people = await makePeople(await api.makeTenant())
    const organization = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    for (const key of [people.support, people.reseller, people.customer, organization]) {
      expect((await revoke(people.admin.token, key.id)).status).toBe(204)
      expect(await statusWith(api, key.token)).toBe(401)
    }
  })

  test("a key of the organization can revoke anyone's key", async () => {
    const people = await makePeople(await api.makeTenant())
    const organization = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    expect((await revoke(organization.token, people.customer.id)).status).toBe(204)
    expect((await revoke(organization.token, people.admin.id)).status).toBe(204)
    expect((await revoke(organization.token, organization.id)).status).toBe(204)
  })

  test('support, resellers and customers can revoke only their own keys', async () => {
    const people = await makePeople(await api.makeTenant())
    const { token } = people.admin
    const organization = await makeKeyWith(api, token, { kind: 'organization' })
    const refusals = { support: denied, reseller: notFound, customer: notFound }
    for (const role of ['support', 'reseller', 'customer'] as const) {
      const person = people[role]
      for (const { id } of [people.admin, organization]) {
        expect(refusalOf(await revoke(person.token, id))).toEqual(refusals[role])
      }
      const own = await makeKeyWith(api, person.token)
      expect((await revoke(person.token, own.id)).status).toBe(204)
    }
    expect(await statusWith(api, token)).toBe(200)
    expect(await statusWith(api, organization.token)).toBe(200)
  })

  test("404 is the same for a missing key, another organization's key and an invalid id", async () => {
    const { admin } = await api.makeAdmin()
    const stranger = await api.makeAdmin()
    for (const id of [createKeyToken().id, stranger.admin.id, 'nonsense', '0'.repeat(12)]) {
      expect(refusalOf(await revoke(admin.token, id))).toEqual(notFound)
    }
    expect(await statusWith(api, stranger.admin.token)).toBe(200)
  })
})

describe('DELETE /api-keys/{id}: concurrent requests', () => {
  test('no request that starts after the response to a revocation succeeds', async () => {
    const { admin } = await api.makeAdmin()
    for (let round = 0; round < 5; round++) {
      const { id, token } = await makeKeyWith(api, admin.token)
      let revokedAt = Infinity
      const uses: { startedAt: number; status: number }[] = []
      const use = async (each: typeof api) => {
        for (let after = 0; after < 3;) {
          const startedAt = performance.now()
          if (startedAt > revokedAt) after += 1
          uses.push({ startedAt, status: await statusWith(each, token) })
        }
      }
      const revokeOnceUsed = async () => {
        await until('the key is in use', () => Promise.resolve(uses.length >= 4))
        await revoke(admin.token, id)
        revokedAt = performance.now()
      }
      await Promise.all([use(api), use(other), use(api), revokeOnceUsed()])
      const after = uses.filter(({ startedAt }) => startedAt > revokedAt)
      expect(uses.some(({ status }) => status === 200)).toBe(true)
      expect(after).toHaveLength(9)
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
    }
  })

  test('ten concurrent revocations all succeed, and one is audited', async () => {
    const { tenant, admin } = await api.makeAdmin()
    const { id } = await makeKeyWith(api, admin.token)
    const responses = await Promise.all(Array.from({ length: 10 }, () => revoke(admin.token, id)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]))
    const actions = (await auditOf(api, tenant.id)).map(({ action }) => action)
    expect(actions.filter((action) => action === 'api_key.revoke')).toHaveLength(1)
  })

  test('after a concurrent revocation and rotation no token of the key works', async () => {
    const { admin } = await api.makeAdmin()
    for (let round = 0; round < 5; round++) {
      const { id, token } = await makeKeyWith(api, admin.token)
      const [rotated] = await Promise.all([
        api.call('post', `/api-keys/${id}/rotate`, { token: admin.token }),
        revoke(admin.token, id),
      ])
      expect([200, 409]).toContain(rotated.status)
      expect(await statusWith(api, token)).toBe(401)
      expect(await statusWith(api, rotated.body.token ?? token)).toBe(401)
    }
  })
})
