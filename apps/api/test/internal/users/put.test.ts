import { describe, expect, test } from '@jest/globals'
import { verify } from '@node-rs/argon2'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { callWith, makeSession } from '../../../../../test/support/session.ts'
import { invalid, notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'

const api = useApi()

const fieldsOf = (tenant_id: string) => ({
  tenant_id,
  email: `${randomUUID()}@example.test`,
  name: 'Ana',
  status: 'active',
  roles: ['reseller'],
  accounts: [] as string[],
})

testServiceAccess(api, {
  verb: 'put',
  path: `/users/${randomUUID()}`,
  body: fieldsOf(randomUUID()),
})

const put = (id: string, body: unknown) =>
  api.callInternal('put', `/users/${id}`, body, { 'content-type': 'application/json' })

const find = (id: string) =>
  api.database.prisma.user.findUnique({ where: { id }, include: { accounts: true } })

const conflict = { status: 409, code: 'conflict' }

describe('PUT /users/{id}', () => {
  test('201 creates a user with its roles and accounts', async () => {
    const tenant = await api.makeTenant()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()].toSorted()
    const id = randomUUID()
    const body = { ...fieldsOf(tenant.id), roles: ['reseller', 'customer'], accounts }
    const response = await put(id, body)
    expect({ status: response.status, body: response.body }).toEqual({
      status: 201,
      body: { user: { id, ...body } },
    })
    const row = await find(id)
    expect(row).toMatchObject({ email: body.email, kind: 'human', passwordHash: null })
    expect(row!.accounts.map(({ accountId }) => accountId).toSorted()).toEqual(accounts)
  })

  test('200 changes every member, including accounts and roles', async () => {
    const tenant = await api.makeTenant()
    const [first, second] = [await tenant.makeAccount(), await tenant.makeAccount()]
    const id = randomUUID()
    await put(id, { ...fieldsOf(tenant.id), accounts: [first] })
    const body = {
      ...fieldsOf(tenant.id),
      name: 'Bea',
      status: 'deactivated',
      roles: ['customer'],
      accounts: [second],
    }
    const response = await put(id, body)
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: { user: { id, ...body } },
    })
    const { tenant_id: _tenant, accounts: _accounts, ...columns } = body
    const row = await find(id)
    expect(row).toMatchObject(columns)
    expect(row!.accounts.map(({ accountId }) => accountId)).toEqual([second])
  })

  test("a new password ends the user's sessions, the same password does not", async () => {
    const tenant = await api.makeTenant()
    const [id, body] = [randomUUID(), { ...fieldsOf(tenant.id), password: 'correct horse' }]
    await put(id, body)
    const call = callWith(api, await makeSession(api, id))
    await put(id, body)
    expect((await call('get', '/auth/me')).status).toBe(200)
    await put(id, { ...body, password: 'battery staple' })
    expect((await call('get', '/auth/me')).status).toBe(401)
  })

  test('reactivating a user does not restore old sessions', async () => {
    const tenant = await api.makeTenant()
    const [id, body] = [randomUUID(), fieldsOf(tenant.id)]
    await put(id, body)
    const call = callWith(api, await makeSession(api, id))
    await put(id, { ...body, status: 'deactivated' })
    await put(id, body)
    expect((await call('get', '/auth/me')).status).toBe(401)
  })

  test('ids are case-insensitive, and a repeated account counts once', async () => {
    const tenant = await api.makeTenant()
    const account = await tenant.makeAccount()
    const [id, body] = [randomUUID(), fieldsOf(tenant.id)]
    const accounts = [account.toUpperCase(), account]
    const made = await put(id.toUpperCase(), {
      ...body,
      tenant_id: tenant.id.toUpperCase(),
      accounts,
    })
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: { user: { id, ...body, accounts: [account] } },
    })
    const changed = await put(id, { ...body, tenant_id: tenant.id.toUpperCase() })
    expect(changed.status).toBe(200)
  })

  test('a change of roles and accounts applies to the next request', async () => {
    const tenant = await api.makeTenant()
    const account = await tenant.makeAccount()
    const { token, userId } = await tenant.makeKey()
    expect((await api.call('get', '/webhooks', { token })).status).toBe(200)
    await put(userId, { ...fieldsOf(tenant.id), roles: ['customer'], accounts: [account] })
    expect((await api.call('get', '/webhooks', { token })).body.code).toBe('permission_denied')
    const { body } = await api.call('get', '/auth/me', { token })
    expect(body).toMatchObject({ roles: ['customer'], accounts: [account] })
  })

  test("deactivating a user stops the user's keys immediately, reactivating restores them", async () => {
    const tenant = await api.makeTenant()
    const { token, userId } = await tenant.makeKey()
    const body = { ...fieldsOf(tenant.id), roles: ['admin'] }
    await put(userId, { ...body, status: 'deactivated' })
    expect((await api.call('get', '/auth/me', { token })).body.code).toBe('invalid_api_key')
    await put(userId, body)
    expect((await api.call('get', '/auth/me', { token })).status).toBe(200)
  })

  test('201 creates a deleted user again', async () => {
    const tenant = await api.makeTenant()
    const [id, body] = [randomUUID(), fieldsOf(tenant.id)]
    await put(id, body)
    await api.callInternal('delete', `/users/${id}`)
    expect((await put(id, body)).status).toBe(201)
    expect(await find(id)).toMatchObject({ email: body.email, status: 'active', deletedAt: null })
  })
})

describe('PUT /users/{id}: concurrent requests', () => {
  test('all succeed, and one creates the user', async () => {
    const tenant = await api.makeTenant()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()]
    const [id, body] = [randomUUID(), { ...fieldsOf(tenant.id), accounts }]
    const responses = await Promise.all(Array.from({ length: 8 }, () => put(id, body)))
    expect(responses.map(({ status }) => status).filter((status) => status > 201)).toEqual([])
    expect((await find(id))!.accounts).toHaveLength(2)
  })
})

describe('PUT /users/{id}: password', () => {
  const password = 'correct horse battery staple'

  test('is stored only as an argon2id hash and never returned', async () => {
    const { id: tenantId } = await api.makeTenant()
    const id = randomUUID()
    const response = await put(id, { ...fieldsOf(tenantId), password })
    expect(response.text).not.toContain('password')
    expect(response.text).not.toContain('horse')
    const { passwordHash, ...rest } = (await find(id))!
    expect(passwordHash).toMatch(/^\$argon2id\$/)
    expect(await verify(passwordHash!, password)).toBe(true)
    expect(JSON.stringify(rest)).not.toContain('horse')
  })

  test('stays the same if none is given, and changes if one is given', async () => {
    const { id: tenantId } = await api.makeTenant()
    const [id, body] = [randomUUID(), fieldsOf(tenantId)]
    await put(id, { ...body, password })
    const first = (await find(id))!.passwordHash
    await put(id, { ...body, name: 'Bea' })
    expect((await find(id))!.passwordHash).toBe(first)
    await put(id, { ...body, password: 'another one' })
    expect(await verify((await find(id))!.passwordHash!, 'another one')).toBe(true)
  })

  test('the same password has a different hash for each user', async () => {
    const { id: tenantId } = await api.makeTenant()
    const ids = [randomUUID(), randomUUID()]
    for (const id of ids) await put(id, { ...fieldsOf(tenantId), password })
    const hashes = await Promise.all(ids.map(async (id) => (await find(id))!.passwordHash))
    expect(new Set(hashes).size).toBe(2)
  })
})

describe('PUT /users/{id}: conflicts', () => {
  test('409 conflict for an email address that another user has, in any case', async () => {
    const { id: tenantId } = await api.makeTenant()
    const taken = fieldsOf(tenantId)
    await put(randomUUID(), taken)
    const id = randomUUID()
    const email = taken.email.toUpperCase()
    expect(refusalOf(await put(id, { ...fieldsOf(tenantId), email }))).toEqual(conflict)
    expect(await find(id)).toBeNull()
  })

  test('a refused change leaves everything unchanged, including the accounts', async () => {
    const tenant = await api.makeTenant()
    const account = await tenant.makeAccount()
    const taken = fieldsOf(tenant.id)
    await put(randomUUID(), taken)
    const id = randomUUID()
    await put(id, { ...fieldsOf(tenant.id), accounts: [account] })
    const before = await find(id)
    const change = { ...fieldsOf(tenant.id), name: 'Bea', email: taken.email, accounts: [] }
    expect(refusalOf(await put(id, change))).toEqual(conflict)
    expect(await find(id)).toEqual(before)
  })

  test("409 conflict for the id of another organization's user or of a service user", async () => {
    const [owner, stranger] = [await api.makeTenant(), await api.makeTenant()]
    const { userId } = await owner.makeKey()
    expect(refusalOf(await put(userId, fieldsOf(stranger.id)))).toEqual(conflict)
    const id = randomUUID()
    const data = { id, tenantId: owner.id, kind: 'service' as const, name: 'Deploy', roles: [] }
    await api.database.prisma.user.create({ data })
    expect(refusalOf(await put(id, fieldsOf(owner.id)))).toEqual(conflict)
    expect(await find(id)).toMatchObject({ kind: 'service', email: null })
  })

  test('the email address of a deleted user can be used again', async () => {
    const { id: tenantId } = await api.makeTenant()
    const [id, body] = [randomUUID(), fieldsOf(tenantId)]
    await put(id, body)
    await api.callInternal('delete', `/users/${id}`)
    expect((await put(randomUUID(), body)).status).toBe(201)
    expect(refusalOf(await put(id, body))).toEqual(conflict)
  })
})

describe('PUT /users/{id}: invalid requests', () => {
  test.each<[what: string, change: Record<string, unknown>, pointer: string]>([
    ['no tenant_id', { tenant_id: undefined }, '/tenant_id'],
    ['a tenant_id that is no id', { tenant_id: 'acme' }, '/tenant_id'],
    ['an unknown organization', { tenant_id: randomUUID() }, '/tenant_id'],
    ['no email', { email: undefined }, '/email'],
    ['an email of null', { email: null }, '/email'],
    ['an email without an @', { email: 'ana' }, '/email'],
    ['an email with white space', { email: 'a na@example.test' }, '/email'],
    ['an email of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, '/email'],
    ['no name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a name of 201 characters', { name: 'a'.repeat(201) }, '/name'],
    ['a name with a NUL character', { name: 'a\0' }, '/name'],
    ['no status', { status: undefined }, '/status'],
    ['an unknown status', { status: 'deleted' }, '/status'],
    ['no roles', { roles: undefined }, '/roles'],
    ['roles of null', { roles: null }, '/roles'],
    ['an unknown role', { roles: ['admin', 'owner'] }, '/roles/1'],
    ['a repeated role', { roles: ['admin', 'admin'] }, '/roles'],
    ['no accounts', { accounts: undefined }, '/accounts'],
    ['accounts that are a text', { accounts: 'all' }, '/accounts'],
    ['an account that is no id', { accounts: ['shop'] }, '/accounts/0'],
    ['an empty password', { password: '' }, '/password'],
    ['a password of 257 characters', { password: 'a'.repeat(257) }, '/password'],
    ['a password of null', { password: null }, '/password'],
    ['an unknown member', { kind: 'service' }, '/kind'],
  ])('422 validation_failed names the invalid member: %s', async (_what, change, pointer) => {
    const { id: tenantId } = await api.makeTenant()
    const id = randomUUID()
    expect(refusalOf(await put(id, { ...fieldsOf(tenantId), ...change }))).toEqual(invalid(pointer))
    expect(await find(id)).toBeNull()
  })

  test('422 names each account that is missing, deleted or in another organization', async () => {
    const [tenant, stranger] = [await api.makeTenant(), await api.makeTenant()]
    const [own, deleted] = [await tenant.makeAccount(), await tenant.makeAccount()]
    await api.callInternal('delete', `/accounts/${deleted}`)
    const accounts = [own, randomUUID(), await stranger.makeAccount(), deleted]
    const id = randomUUID()
    expect(refusalOf(await put(id, { ...fieldsOf(tenant.id), accounts }))).toEqual(
      invalid('/accounts/1', '/accounts/2', '/accounts/3'),
    )
    expect(await find(id)).toBeNull()
  })

  test('422 without a body, 404 for an invalid id', async () => {
    expect(refusalOf(await put(randomUUID(), undefined))).toEqual(invalid(''))
    const { id: tenantId } = await api.makeTenant()
    expect(refusalOf(await put('ana', fieldsOf(tenantId)))).toEqual(notFound)
  })
})
