import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { invalid, notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'

const api = useApi()

testServiceAccess(api, {
  verb: 'put',
  path: `/accounts/${randomUUID()}`,
  body: { tenant_id: randomUUID(), name: 'Shop' },
})

const put = (id: string, body: unknown) =>
  api.callInternal('put', `/accounts/${id}`, body, { 'content-type': 'application/json' })

const find = (id: string) => api.database.prisma.account.findUnique({ where: { id } })

describe('PUT /accounts/{id}', () => {
  test('201 creates an account, 200 changes it', async () => {
    const { id: tenant_id } = await api.makeTenant()
    const id = randomUUID()
    const made = await put(id, { tenant_id, name: 'Shop' })
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: { account: { id, tenant_id, name: 'Shop' } },
    })
    const changed = await put(id, { tenant_id, name: 'Blog' })
    expect({ status: changed.status, body: changed.body }).toEqual({
      status: 200,
      body: { account: { id, tenant_id, name: 'Blog' } },
    })
    expect(await find(id)).toMatchObject({ tenantId: tenant_id, name: 'Blog' })
  })

  test('ids are case-insensitive', async () => {
    const { id: tenant_id } = await api.makeTenant()
    const id = randomUUID()
    const made = await put(id.toUpperCase(), { tenant_id: tenant_id.toUpperCase(), name: 'Shop' })
    expect(made.body).toEqual({ account: { id, tenant_id, name: 'Shop' } })
    const changed = await put(id, { tenant_id: tenant_id.toUpperCase(), name: 'Blog' })
    expect(changed.status).toBe(200)
  })
})

test('concurrent identical PUT requests all succeed', async () => {
  const { id: tenant_id } = await api.makeTenant()
  const id = randomUUID()
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => put(id, { tenant_id, name: 'Shop' })),
  )
  expect(responses.map(({ status }) => status).filter((status) => status > 201)).toEqual([])
})

describe('PUT /accounts/{id}: errors', () => {
  test('409 conflict for the id of another organization, without any change', async () => {
    const [owner, stranger] = [await api.makeTenant(), await api.makeTenant()]
    const id = await owner.makeAccount()
    const before = await find(id)
    const response = await put(id, { tenant_id: stranger.id, name: 'Mine' })
    expect(refusalOf(response)).toEqual({ status: 409, code: 'conflict' })
    expect(await find(id)).toEqual(before)
  })

  test('422 for an unknown or deleted organization', async () => {
    const deleted = await api.makeTenant()
    await api.callInternal('delete', `/tenants/${deleted.id}`)
    for (const tenant_id of [randomUUID(), deleted.id]) {
      const id = randomUUID()
      expect(refusalOf(await put(id, { tenant_id, name: 'Shop' }))).toEqual(invalid('/tenant_id'))
      expect(await find(id)).toBeNull()
    }
  })

  test.each<[what: string, change: Record<string, unknown>, pointer: string]>([
    ['no tenant_id', { tenant_id: undefined }, '/tenant_id'],
    ['a tenant_id that is no id', { tenant_id: 'acme' }, '/tenant_id'],
    ['no name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a name of 201 characters', { name: 'a'.repeat(201) }, '/name'],
    ['a name that is a number', { name: 1 }, '/name'],
    ['a name with a NUL character', { name: '\0' }, '/name'],
    ['an unknown member', { plan: 'large' }, '/plan'],
  ])('422 validation_failed names the invalid member: %s', async (_what, change, pointer) => {
    const { id: tenant_id } = await api.makeTenant()
    const id = randomUUID()
    expect(refusalOf(await put(id, { tenant_id, name: 'Shop', ...change }))).toEqual(
      invalid(pointer),
    )
    expect(await find(id)).toBeNull()
  })

  test('422 without a body, 404 for an invalid id', async () => {
    expect(refusalOf(await put(randomUUID(), undefined))).toEqual(invalid(''))
    expect(refusalOf(await put('shop', { tenant_id: randomUUID(), name: 'Shop' }))).toEqual(
      notFound,
    )
  })
})
