import { createKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import { makeKeyWith, makePeople, pass, readsKeys, rotate, showKey } from '../support/keys.ts'
import { notFound, refusalOf } from '../support/refusals.ts'

const api = useApi()
const [minuteMs, hourMs] = [60_000, 3_600_000]

testAccess(api, { verb: 'get', path: `/api-keys/${createKeyToken().id}` }, readsKeys)

const get = (token: string, id: string) => api.call('get', `/api-keys/${id}`, { token })

describe('GET /api-keys/{id}', () => {
  test('200 returns the key without its token or hash', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const { key, id, token } = await makeKeyWith(api, admin.token)
    const { status, body, text } = await get(admin.token, id)
    expect(status).toBe(200)
    expect(body).toEqual({ key })
    expect(text).not.toContain(token.split('_')[2])
    expect(text).not.toMatch(/hash|secret"/)
  })

  test('the status changes from active to expired at the expiry, and revoked is permanent', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const expires_at = new Date(Date.now() + hourMs).toISOString()
    const { id } = await makeKeyWith(api, admin.token, { expires_at })
    const statusNow = async () => (await showKey(api, admin.token, id)).status
    expect(await statusNow()).toBe('active')
    await pass(api, hourMs - minuteMs, id)
    expect(await statusNow()).toBe('active')
    await pass(api, minuteMs, id)
    expect(await statusNow()).toBe('expired')
    await api.call('delete', `/api-keys/${id}`, { token: admin.token })
    expect(await statusNow()).toBe('revoked')
  })

  test('it shows when the last overlap period ends', async () => {
    const admin = await (await api.makeTenant()).makeKey()
    const { id } = await makeKeyWith(api, admin.token)
    expect((await showKey(api, admin.token, id)).previous_secret_expires_at).toBeNull()
    const before = Date.now()
    await rotate(api, admin.token, id, 3_600)
    const after = Date.now()
    await rotate(api, admin.token, id, 60)
    const shown = await showKey(api, admin.token, id)
    const end = Date.parse(shown.previous_secret_expires_at!)
    expect(end).toBeGreaterThanOrEqual(before + hourMs)
    expect(end).toBeLessThanOrEqual(after + hourMs)
    expect(Date.parse(shown.rotated_at!)).toBeGreaterThanOrEqual(after)
  })

  test('a key can read its own record', async () => {
    const admin = await (await api.makeTenant()).makeKey({ scopes: ['apikeys:read'] })
    expect((await showKey(api, admin.token, admin.id)).id).toBe(admin.id)
  })

  test("admins see a key whose user is deleted, with the user's name", async () => {
    const tenant = await api.makeTenant()
    const [admin, gone] = [await tenant.makeKey(), await tenant.makeKey()]
    const { id } = await makeKeyWith(api, gone.token)
    await api.callInternal('delete', `/users/${gone.userId}`)
    const shown = await showKey(api, admin.token, id)
    expect(shown.user).toEqual({ id: gone.userId, name: 'Ana' })
  })
})

describe('GET /api-keys/{id}: visibility', () => {
  test('an admin, support and a key of the organization see every key', async () => {
    const people = await makePeople(await api.makeTenant())
    const organization = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    for (const { token } of [people.admin, people.support, organization]) {
      for (const { id } of [...Object.values(people), organization]) {
        expect((await get(token, id)).status).toBe(200)
      }
    }
  })

  test('resellers and customers see only their own keys and get 404, never 403, for others', async () => {
    const people = await makePeople(await api.makeTenant())
    const organization = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    for (const person of [people.reseller, people.customer]) {
      const others = [...Object.values(people), organization].filter(({ id }) => id !== person.id)
      for (const { id } of others) expect(refusalOf(await get(person.token, id))).toEqual(notFound)
      expect((await get(person.token, person.id)).status).toBe(200)
    }
  })

  test('404 is the same for a missing, foreign or invisible key and for an invalid id', async () => {
    const people = await makePeople(await api.makeTenant())
    const stranger = await (await api.makeTenant()).makeKey()
    const ids = [
      createKeyToken().id,
      stranger.id,
      people.admin.id,
      'x',
      people.customer.id.slice(1),
    ]
    const responses = await Promise.all(ids.map((id) => get(people.customer.token, id)))
    const said = responses.map(({ status, body }) => {
      const { instance: _path, request_id: _id, ...rest } = body as Record<string, unknown>
      return { httpStatus: status, ...rest }
    })
    expect(said[0]).toMatchObject(notFound)
    for (const each of said) expect(each).toEqual(said[0])
  })
})
