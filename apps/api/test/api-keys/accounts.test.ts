import { isOfAccounts, permissions, type PermissionName } from '@hosting/core/scopes'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../../../../test/support/session.ts'
import { makeKeyWith, putPerson, showKey } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()
const other = useApi()

const wider = { status: 403, code: 'api_key_wider_than_caller' }
const denied = { status: 403, code: 'permission_denied' }

/** An admin's key, two accounts of the organization in the order of their ids, and one of another organization. */
async function makeWorld() {
  const tenant = await api.makeTenant()
  const [a, b] = [await tenant.makeAccount(), await tenant.makeAccount()].toSorted()
  const foreign = await (await api.makeTenant()).makeAccount()
  return { tenant, a: a!, b: b!, foreign, admin: await tenant.makeKey() }
}

const create = (token: string, members: object) =>
  api.call('post', '/api-keys', { token, body: { name: 'Deploy', scopes: ['*'], ...members } })

const update = (token: string, id: string, body: object) =>
  api.call('patch', `/api-keys/${id}`, { token, body })

const authorize = (token: string, members: object = {}, each = api) =>
  each.callInternal('post', '/authorize', {
    authorization: `Bearer ${token}`,
    ip: '127.0.0.1',
    method: 'GET',
    permission: 'sites.read',
    ...members,
  })

const accountsOfMe = async (token: string, each = api): Promise<unknown> =>
  (await each.call('get', '/auth/me', { token })).body.accounts

describe('a key that is limited to accounts', () => {
  test('its record, /auth/me and authorize show the accounts; without a limit all three show null', async () => {
    const { admin, a, b } = await makeWorld()
    const free = await makeKeyWith(api, admin.token)
    expect(free.key.accounts).toBeNull()
    const { id, token, key } = await makeKeyWith(api, admin.token, {
      accounts: [b, a.toUpperCase()],
    })
    expect(key.accounts).toEqual([b, a])
    expect((await showKey(api, admin.token, id)).accounts).toEqual([b, a])
    const me = (await api.call('get', '/auth/me', { token })).body
    expect(me.accounts).toEqual([a, b])
    expect(me.roles).toEqual(['admin'])
    expect(me.key.accounts).toEqual([b, a])
    expect(me.permissions).toEqual(
      [...permissions.values()]
        .map(({ name }) => name)
        .filter(
          (name) => isOfAccounts(name) || name === 'apikeys.read' || name === 'apikeys.create',
        ),
    )
    expect((await authorize(token)).body.accounts).toEqual([a, b])
  })

  test("authorize permits only account-bound permissions and the caller's own keys, and only within the accounts", async () => {
    const { admin, a, b } = await makeWorld()
    const { token } = await makeKeyWith(api, admin.token, { accounts: [a] })
    for (const { name, sessionOnly } of permissions.values()) {
      if (sessionOnly) continue
      const permitted = isOfAccounts(name) || name === 'apikeys.read' || name === 'apikeys.create'
      const asked = { permission: name, method: 'POST' }
      expect([name, (await authorize(token, asked)).status]).toEqual([name, permitted ? 200 : 403])
      const beyond = await authorize(token, { ...asked, account_id: b })
      expect(refusalOf(beyond)).toEqual(denied)
    }
    expect((await authorize(token, { account_id: a })).status).toBe(200)
  })

  test.each([
    ['get', '/webhooks'],
    ['get', '/webhook-deliveries'],
    ['get', '/webhooks/listen'],
    ['get', '/events'],
    ['get', '/audit-log'],
  ] as const)('403 permission_denied for %s %s, whatever the scopes', async (verb, path) => {
    const { admin, a } = await makeWorld()
    const { token } = await makeKeyWith(api, admin.token, { accounts: [a] })
    expect(refusalOf(await api.call(verb, path, { token }))).toEqual(denied)
  })

  test("sees and manages only its user's personal keys", async () => {
    const { tenant, admin, a } = await makeWorld()
    const { id, token } = await makeKeyWith(api, admin.token, { accounts: [a] })
    const organization = await makeKeyWith(api, admin.token, { kind: 'organization' })
    const colleague = await tenant.makeKey()
    const listed = (await api.call('get', '/api-keys', { token })).body.items as { id: string }[]
    expect(listed.map((key) => key.id).toSorted()).toEqual([admin.id, id].toSorted())
    for (const hidden of [organization.id, colleague.id]) {
      expect((await api.call('get', `/api-keys/${hidden}`, { token })).status).toBe(404)
      expect((await api.call('delete', `/api-keys/${hidden}`, { token })).status).toBe(404)
    }
    expect(refusalOf(await create(token, { kind: 'organization', accounts: [a] }))).toEqual(denied)
    expect((await api.call('delete', `/api-keys/${admin.id}`, { token })).status).toBe(204)
  })

  test('an organization key can be limited, and then manages no keys', async () => {
    const { admin, a, b } = await makeWorld()
    const { token } = await makeKeyWith(api, admin.token, { kind: 'organization', accounts: [a] })
    expect((await authorize(token, { account_id: a })).status).toBe(200)
    expect(refusalOf(await authorize(token, { account_id: b }))).toEqual(denied)
    expect(refusalOf(await create(token, { kind: 'organization', accounts: [a] }))).toEqual(denied)
    expect(refusalOf(await create(token, { accounts: [a] }))).toEqual(wider)
  })
})

describe('POST /api-keys with invalid accounts', () => {
  test('422 for an account of another organization, an unknown or repeated account, and a malformed list', async () => {
    const { admin, a, foreign } = await makeWorld()
    const unknown = randomUUID()
    const cases: [accounts: unknown, ...pointers: string[]][] = [
      [[a, foreign, unknown], '/accounts/1', '/accounts/2'],
      [[a, a.toUpperCase()], '/accounts/1'],
      [[], '/accounts'],
      [['a'], '/accounts/0'],
      ['all', '/accounts'],
      [Array.from({ length: 101 }, () => randomUUID()), '/accounts'],
    ]
    for (const [accounts, ...pointers] of cases) {
      expect(refusalOf(await create(admin.token, { accounts }))).toEqual(invalid(...pointers))
      expect(refusalOf(await update(admin.token, admin.id, { accounts }))).toEqual(
        invalid(...pointers),
      )
    }
  })

  test('100 accounts are accepted', async () => {
    const { tenant, admin } = await makeWorld()
    const ids = Array.from({ length: 100 }, () => randomUUID())
    await api.database.pool.query(
      `INSERT INTO accounts (id, tenant_id, name) SELECT id, $2, 'Account' FROM unnest($1::uuid[]) id`,
      [ids, tenant.id],
    )
    expect((await makeKeyWith(api, admin.token, { accounts: ids })).key.accounts).toEqual(ids)
  })

  test('422 for an account that is not assigned to the customer who owns the key', async () => {
    const { tenant, a, b } = await makeWorld()
    const customer = await tenant.makeKey({ roles: ['customer'], accounts: [a] })
    expect(refusalOf(await create(customer.token, { accounts: [a, b] }))).toEqual(
      invalid('/accounts/1'),
    )
    expect((await create(customer.token, { accounts: [a] })).status).toBe(201)
  })

  test('403 for a missing limit and for an account that the caller lacks; 422 takes precedence', async () => {
    const { admin, a, b, foreign } = await makeWorld()
    const caller = await makeKeyWith(api, admin.token, { accounts: [a] })
    const free = await makeKeyWith(api, admin.token)
    expect(refusalOf(await create(caller.token, {}))).toEqual(wider)
    expect(refusalOf(await create(caller.token, { accounts: [a, b] }))).toEqual(wider)
    expect(refusalOf(await create(caller.token, { accounts: [b, foreign] }))).toEqual(
      invalid('/accounts/1'),
    )
    expect((await create(caller.token, { accounts: [a] })).status).toBe(201)
    expect(refusalOf(await update(caller.token, free.id, { name: 'New' }))).toEqual(wider)
    expect((await update(caller.token, free.id, { accounts: [a] })).status).toBe(200)
    expect(refusalOf(await update(caller.token, caller.id, { accounts: null }))).toEqual(wider)
    const rotated = await api.call('post', `/api-keys/${admin.id}/rotate`, { token: caller.token })
    expect(refusalOf(rotated)).toEqual(wider)
  })
})

describe('PATCH /api-keys/{id} with accounts', () => {
  test('each change applies to the next request on every process and is audited with both states', async () => {
    const { tenant, admin, a, b } = await makeWorld()
    const { id, token } = await makeKeyWith(api, admin.token)
    for (const each of [api, other]) expect(await accountsOfMe(token, each)).toBe('all')
    const states: [change: string[] | null, reach: unknown][] = [
      [[a], [a]],
      [[b], [b]],
      [null, 'all'],
    ]
    for (const [accounts, reach] of states) {
      const { status, body } = await update(admin.token, id, { accounts })
      expect([status, body.key?.accounts]).toEqual([200, accounts])
      for (const each of [other, api]) expect(await accountsOfMe(token, each)).toEqual(reach)
    }
    const changes = (await auditOf(api, tenant.id)).filter(
      ({ action }) => action === 'api_key.update',
    )
    expect(changes).toHaveLength(3)
    expect(JSON.stringify(changes)).toContain(a)
  })

  test('a session needs a confirmation to widen, not to narrow', async () => {
    const { tenant, a, b } = await makeWorld()
    const person = await makeSignedIn(api, tenant)
    const stale = await makeSession(api, person.id, { confirmedMsAgo: 301_000 })
    const created = await callWith(api, person)('post', '/api-keys', {
      body: { name: 'Deploy', scopes: ['*'], accounts: [a, b] },
    })
    const path = `/api-keys/${created.body.key.id as string}`
    const narrowed = await callWith(api, stale)('patch', path, { body: { accounts: [a] } })
    expect(narrowed.status).toBe(200)
    for (const accounts of [[b], [a, b], null]) {
      const refused = await callWith(api, stale)('patch', path, { body: { accounts } })
      expect(refusalOf(refused)).toEqual({ status: 403, code: 'reauthentication_required' })
    }
    const widened = await callWith(api, person)('patch', path, { body: { accounts: null } })
    expect(widened.status).toBe(200)
  })
})

describe('a deleted account or assignment', () => {
  test("a deleted account stays in the key's record but is inaccessible on every process until it is created again", async () => {
    const { tenant, admin, a, b } = await makeWorld()
    const { id, token } = await makeKeyWith(api, admin.token, { accounts: [a, b] })
    for (const each of [api, other]) expect(await accountsOfMe(token, each)).toEqual([a, b])
    await api.callInternal('delete', `/accounts/${a}`)
    for (const each of [other, api]) {
      expect(await accountsOfMe(token, each)).toEqual([b])
      expect(refusalOf(await authorize(token, { account_id: a }, each))).toEqual(denied)
    }
    expect((await showKey(api, admin.token, id)).accounts).toEqual([a, b])
    expect((await update(admin.token, id, { name: 'New' })).status).toBe(200)
    await api.callInternal('delete', `/accounts/${b}`)
    for (const each of [other, api]) {
      expect(await accountsOfMe(token, each)).toEqual([])
      expect(refusalOf(await authorize(token, {}, each))).toEqual(denied)
      const keys = { permission: 'apikeys.read' satisfies PermissionName }
      expect((await authorize(token, keys, each)).status).toBe(200)
    }
    await api.callInternal('put', `/accounts/${a}`, { tenant_id: tenant.id, name: 'Again' })
    for (const each of [other, api]) expect(await accountsOfMe(token, each)).toEqual([a])
  })

  test("a customer's key loses an account that the customer loses", async () => {
    const { tenant, a, b } = await makeWorld()
    const customer = await tenant.makeKey({ roles: ['customer'], accounts: [a, b] })
    const { token } = await makeKeyWith(api, customer.token, { accounts: [a, b] })
    for (const each of [api, other]) expect(await accountsOfMe(token, each)).toEqual([a, b])
    await putPerson(api, tenant, customer.userId, { roles: ['customer'], accounts: [b] })
    for (const each of [other, api]) expect(await accountsOfMe(token, each)).toEqual([b])
  })
})

test('deleting an account while keys are being limited to it leaves no key with access to it', async () => {
  for (let round = 0; round < 8; round++) {
    const { tenant, a, admin } = await makeWorld()
    const reseller = await tenant.makeKey({ roles: ['reseller'], accounts: [a] })
    const creations = [admin, reseller, admin, reseller].map(({ token }) =>
      create(token, { accounts: [a] }),
    )
    const deletion = api.callInternal('delete', `/accounts/${a}`)
    const responses = await Promise.all(creations)
    expect((await deletion).status).toBe(204)
    for (const { status, body } of responses) {
      expect([201, 422]).toContain(status)
      if (status === 422) continue
      for (const each of [api, other]) {
        expect(await accountsOfMe(body.token as string, each)).toEqual([])
      }
    }
  }
})
