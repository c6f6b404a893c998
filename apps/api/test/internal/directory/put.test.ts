import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { testServiceAccess } from '../../support/service-access.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi()

testServiceAccess(api, { verb: 'put', path: '/directory', body: {} })

const put = (body: unknown) =>
  api.callInternal('put', '/directory', body, { 'content-type': 'application/json' })
const read = async (path: string) => (await api.callInternal('get', path)).body

const tenantOf = (id: string) => ({ id, slug: `t-${id}`, name: 'Acme' })
const accountOf = (id: string, tenant_id: string) => ({ id, tenant_id, name: 'Account' })
const userOf = (id: string, tenant_id: string) => ({
  id,
  tenant_id,
  email: `${id}@example.test`,
  name: 'Ana',
  status: 'active',
  roles: ['admin'],
  accounts: [] as string[],
})

describe('PUT /directory', () => {
  test('200 creates organizations, then accounts, then users, in any order in the body', async () => {
    const [tenant, account, user] = [randomUUID(), randomUUID(), randomUUID()]
    const { status, body } = await put({
      users: [{ ...userOf(user, tenant), accounts: [account] }],
      accounts: [accountOf(account, tenant)],
      tenants: [tenantOf(tenant)],
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        items: [
          { type: 'tenant', id: tenant, status: 201 },
          { type: 'account', id: account, status: 201 },
          { type: 'user', id: user, status: 201 },
        ],
      },
    })
    expect((await read(`/users/${user}`)).user).toMatchObject({
      ...userOf(user, tenant),
      accounts: [account],
    })
  })

  test('200 updates existing records, and unchanged records keep their updated_at', async () => {
    const [one, two] = [tenantOf(randomUUID()), tenantOf(randomUUID())]
    await put({ tenants: [one, two] })
    const before = (await read(`/tenants/${two.id}`)).tenant
    const { body } = await put({ tenants: [{ ...one, name: 'Other' }, two] })
    expect(body.items.map(({ status }: { status: number }) => status)).toEqual([200, 200])
    expect((await read(`/tenants/${one.id}`)).tenant.name).toBe('Other')
    expect((await read(`/tenants/${two.id}`)).tenant).toEqual(before)
  })

  test('records are applied in sequence: a record can use what an earlier one released', async () => {
    const [one, two] = [tenantOf(randomUUID()), tenantOf(randomUUID())]
    await put({ tenants: [one, two] })
    const { body } = await put({
      tenants: [
        { ...one, slug: `free-${one.id}` },
        { ...two, slug: one.slug },
        { ...one, slug: two.slug },
      ],
    })
    expect(body.items.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200])
  })

  test('a refused record does not stop the others, and has the problem of its own PUT', async () => {
    const [tenant, taken] = [tenantOf(randomUUID()), tenantOf(randomUUID())]
    await put({ tenants: [tenant, taken] })
    const users = [
      { ...userOf(randomUUID(), tenant.id), roles: ['chief'] },
      { ...userOf(randomUUID(), tenant.id), tenant_id: randomUUID() },
      { ...userOf(randomUUID(), tenant.id), name: 'a\0b' },
      { ...userOf(randomUUID(), tenant.id), colour: 'red' },
    ]
    const kept = userOf(randomUUID(), tenant.id)
    const { status, body } = await put({
      tenants: [{ ...tenantOf(randomUUID()), slug: taken.slug }],
      users: [...users, kept],
    })
    expect(status).toBe(200)
    const own = await Promise.all(
      users.map(
        async ({ id, ...fields }) => (await api.callInternal('put', `/users/${id}`, fields)).body,
      ),
    )
    const comparable = ({
      request_id: _id,
      instance: _path,
      ...problem
    }: Record<string, unknown>) => problem
    expect(body.items[0]).toMatchObject({
      type: 'tenant',
      status: 409,
      problem: { code: 'conflict' },
    })
    expect(
      body.items
        .slice(1, 5)
        .map(({ problem }: { problem: Record<string, unknown> }) => comparable(problem)),
    ).toEqual(own.map(comparable))
    expect(body.items[5]).toEqual({ type: 'user', id: kept.id, status: 201 })
  })

  test.each([
    ['no id', { slug: 'x', name: 'Acme' }, null, ['/id']],
    ['an id that is no text', { id: 5, slug: 'x', name: 'Acme' }, null, ['/id']],
    ['an id that is no UUID', { id: 'acme', slug: 'x', name: 'Acme' }, 'acme', ['/id']],
    ['no members', {}, null, ['/id', '/name', '/slug']],
    ['no object', 'acme', null, ['/id', '/name', '/slug']],
    ['null', null, null, ['/id', '/name', '/slug']],
  ])('a record with %s is 422', async (_what, record, id, pointers) => {
    const { body } = await put({ tenants: [record] })
    const [item] = body.items
    expect(item).toMatchObject({ type: 'tenant', id, status: 422 })
    expect(item.problem).toMatchObject({ code: 'validation_failed', status: 422 })
    const named = item.problem.errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(named.toSorted()).toEqual(pointers)
  })

  test('passwords are hashed and never returned', async () => {
    const tenant = tenantOf(randomUUID())
    const users = Array.from({ length: 6 }, () => userOf(randomUUID(), tenant.id))
    const password = 'correct horse'
    const { text } = await put({
      tenants: [tenant],
      users: users.map((user) => ({ ...user, password })),
    })
    expect(text).not.toMatch(/horse|argon2/)
    for (const { id } of users) expect((await read(`/users/${id}`)).user.has_password).toBe(true)
  })

  test('a change of a user applies to the next request', async () => {
    const tenant = await api.makeTenant()
    const { token, userId } = await tenant.makeKey()
    await put({ users: [{ ...userOf(userId, tenant.id), status: 'deactivated' }] })
    expect((await api.call('get', '/auth/me', { token })).body.code).toBe('invalid_api_key')
  })

  test('200 for an empty body and for 1,000 records', async () => {
    expect((await put({})).body).toEqual({ items: [] })
    const tenant = tenantOf(randomUUID())
    const refused = Array.from({ length: 999 }, () => ({ id: randomUUID() }))
    const { body } = await put({ tenants: [tenant], users: refused })
    const statuses = body.items.map(({ status }: { status: number }) => status)
    expect(statuses).toEqual([201, ...refused.map(() => 422)])
  })
})

describe('PUT /directory: invalid bodies', () => {
  test('422 for more than 1,000 records in total, and none is applied', async () => {
    const tenant = tenantOf(randomUUID())
    const accounts = Array.from({ length: 1_000 }, () => accountOf(randomUUID(), tenant.id))
    expect(refusalOf(await put({ tenants: [tenant], accounts }))).toEqual(invalid(''))
    expect((await api.callInternal('get', `/tenants/${tenant.id}`)).status).toBe(404)
    const tooMany = [...accounts, ...accounts]
    expect(refusalOf(await put({ accounts: tooMany }))).toEqual(invalid('/accounts'))
  })

  test.each([
    [{ tenants: {} }, '/tenants'],
    [{ users: null }, '/users'],
    [{ sites: [] }, '/sites'],
    [[], ''],
  ])('422 for %j', async (body, pointer) => {
    expect(refusalOf(await put(body))).toEqual(invalid(pointer))
  })
})
