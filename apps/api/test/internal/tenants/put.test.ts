import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { invalid, notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'
import { makeWebhook } from '../../support/webhooks.ts'

const api = useApi()
const fields = () => ({ slug: `acme-${randomUUID()}`, name: 'Acme' })

testServiceAccess(api, { verb: 'put', path: `/tenants/${randomUUID()}`, body: fields() })

const put = (id: string, body: unknown) =>
  api.callInternal('put', `/tenants/${id}`, body, { 'content-type': 'application/json' })

const find = (id: string) => api.database.prisma.tenant.findUnique({ where: { id } })

describe('PUT /tenants/{id}', () => {
  test('201 creates an organization, with the edition standard by default', async () => {
    const id = randomUUID()
    const body = fields()
    const response = await put(id, body)
    const tenant = { id, ...body, edition: 'standard' }
    expect({ status: response.status, body: response.body }).toEqual({
      status: 201,
      body: { tenant },
    })
    expect(await find(id)).toMatchObject({ ...tenant, deletedAt: null })
  })

  test('201 accepts an edition', async () => {
    const { body } = await put(randomUUID(), { ...fields(), edition: 'enterprise' })
    expect(body.tenant.edition).toBe('enterprise')
  })

  test('200 changes the organization', async () => {
    const id = randomUUID()
    await put(id, { ...fields(), edition: 'enterprise' })
    const body = fields()
    const response = await put(id, body)
    const tenant = { id, ...body, edition: 'standard' }
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: { tenant },
    })
    expect(await find(id)).toMatchObject(tenant)
  })

  test('200 for an identical repetition; the id is case-insensitive', async () => {
    const id = randomUUID()
    const body = fields()
    await put(id, body)
    const response = await put(id.toUpperCase(), body)
    expect({ status: response.status, id: response.body.tenant.id }).toEqual({ status: 200, id })
  })

  test('a change applies to the next request', async () => {
    const { tenant, token } = await api.makeAdmin()
    const { slug } = (await put(tenant.id, { ...fields(), name: 'Acme & Söhne' })).body.tenant
    const { body } = await api.call('get', '/auth/me', { token })
    expect(body.tenant).toEqual({ id: tenant.id, slug, name: 'Acme & Söhne' })
  })

  test('201 creates a deleted organization again, without its endpoints', async () => {
    const { tenant, admin: before } = await api.makeAdmin()
    await makeWebhook(api, before.token)
    await api.callInternal('delete', `/tenants/${tenant.id}`)
    expect((await put(tenant.id, fields())).status).toBe(201)
    const { token } = await tenant.makeKey()
    expect((await api.call('get', '/webhooks', { token })).body.items).toEqual([])
  })

  test('concurrent identical PUTs all succeed, and one creates the organization', async () => {
    const id = randomUUID()
    const body = fields()
    const responses = await Promise.all(Array.from({ length: 8 }, () => put(id, body)))
    expect(responses.every(({ status }) => status === 200 || status === 201)).toBe(true)
    expect(await find(id)).toMatchObject(body)
  })
})

describe('PUT /tenants/{id}: conflicts', () => {
  test('409 conflict for a slug that another organization has', async () => {
    const taken = fields()
    await put(randomUUID(), taken)
    const id = randomUUID()
    expect(refusalOf(await put(id, taken))).toEqual({ status: 409, code: 'conflict' })
    expect(await find(id)).toBeNull()

    const own = fields()
    await put(id, own)
    expect(refusalOf(await put(id, { ...own, slug: taken.slug }))).toMatchObject({ status: 409 })
    expect(await find(id)).toMatchObject(own)
  })

  test('one of two organizations that concurrently request a slug gets it', async () => {
    const body = fields()
    const responses = await Promise.all([put(randomUUID(), body), put(randomUUID(), body)])
    const statuses = responses.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409])
  })

  test('the slug of a deleted organization is free; restoring the organization is then 409', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    const body = fields()
    await put(first, body)
    await api.callInternal('delete', `/tenants/${first}`)
    expect((await put(second, body)).status).toBe(201)
    expect(refusalOf(await put(first, body))).toEqual({ status: 409, code: 'conflict' })
  })
})

describe('PUT /tenants/{id}: invalid requests', () => {
  test.each<[what: string, change: Record<string, unknown>, pointer: string]>([
    ['no slug', { slug: undefined }, '/slug'],
    ['an empty slug', { slug: '' }, '/slug'],
    ['a slug with white space', { slug: 'a b' }, '/slug'],
    ['a slug that starts with a dash', { slug: '-a' }, '/slug'],
    ['a slug of 101 characters', { slug: 'a'.repeat(101) }, '/slug'],
    ['a slug that is a number', { slug: 1 }, '/slug'],
    ['no name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a name of 201 characters', { name: 'a'.repeat(201) }, '/name'],
    ['a name with a NUL character', { name: 'a\0' }, '/name'],
    ['a name of null', { name: null }, '/name'],
    ['an empty edition', { edition: '' }, '/edition'],
    ['an edition of null', { edition: null }, '/edition'],
    ['an unknown member', { id: randomUUID() }, '/id'],
  ])('422 validation_failed names the invalid member: %s', async (_what, change, pointer) => {
    const id = randomUUID()
    expect(refusalOf(await put(id, { ...fields(), ...change }))).toEqual(invalid(pointer))
    expect(await find(id)).toBeNull()
  })

  test.each([
    ['no body', undefined],
    ['null', 'null'],
    ['a list', []],
  ])('422 validation_failed for %s', async (_what, body) => {
    expect(refusalOf(await put(randomUUID(), body))).toEqual(invalid(''))
  })

  test('404 for an invalid id', async () => {
    expect(refusalOf(await put('acme', fields()))).toEqual(notFound)
  })
})
