import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import { invalid, notFound, refusalOf } from './refusals.ts'
import { testServiceAccess } from './service-access.ts'

/** A kind of directory record, as its tests put and read it. */
export interface DirectoryKind {
  readonly list: 'tenants' | 'accounts' | 'users'
  readonly member: 'tenant' | 'account' | 'user'
  /** The body of a PUT. Two calls return different records. */
  fields(tenant: TestTenant): Record<string, unknown>
  /** What a GET returns besides the fields, the id and the times. */
  readonly more: object
}

export const tenantKind: DirectoryKind = {
  list: 'tenants',
  member: 'tenant',
  fields: () => ({ slug: `t-${randomUUID()}`, name: 'Acme', edition: 'enterprise' }),
  more: {},
}

export const accountKind: DirectoryKind = {
  list: 'accounts',
  member: 'account',
  fields: ({ id }) => ({ tenant_id: id, name: `Account ${randomUUID()}` }),
  more: {},
}

export const userKind: DirectoryKind = {
  list: 'users',
  member: 'user',
  fields: ({ id }) => ({
    tenant_id: id,
    email: `${randomUUID()}@example.test`,
    name: 'Ana',
    status: 'active',
    roles: ['support', 'customer'],
    accounts: [],
  }),
  more: { has_password: false },
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The tests of a route that reads one record of the directory. */
export function testDirectoryGet(api: TestApi, kind: DirectoryKind): void {
  const { list, member } = kind
  const put = (id: string, body: unknown) => api.callInternal('put', `/${list}/${id}`, body)
  const get = (id: string) => api.callInternal('get', `/${list}/${id}`)

  testServiceAccess(api, { verb: 'get', path: `/${list}/${randomUUID()}` })

  describe(`GET /${list}/{id}`, () => {
    test('200 returns the record as put, with its times', async () => {
      const id = randomUUID()
      const body = kind.fields(await api.makeTenant())
      await put(id, body)
      const response = await get(id.toUpperCase())
      expect({ status: response.status, body: response.body }).toEqual({
        status: 200,
        body: {
          [member]: {
            id,
            ...body,
            ...kind.more,
            created_at: expect.stringMatching(isoTime),
            updated_at: expect.stringMatching(isoTime),
          },
        },
      })
    })

    test('an identical PUT keeps updated_at, a change advances it', async () => {
      const tenant = await api.makeTenant()
      const [id, body] = [randomUUID(), kind.fields(tenant)]
      await put(id, body)
      const made = (await get(id)).body[member]
      expect((await put(id, body)).status).toBe(200)
      expect((await get(id)).body[member]).toEqual(made)
      await put(id, { ...body, name: 'Bea' })
      const changed = (await get(id)).body[member]
      expect(changed).toMatchObject({ name: 'Bea', created_at: made.created_at })
      expect(changed.updated_at > made.updated_at).toBe(true)
    })

    test('404 for an unknown record, a deleted record and an invalid id', async () => {
      const id = randomUUID()
      await put(id, kind.fields(await api.makeTenant()))
      await api.callInternal('delete', `/${list}/${id}`)
      for (const unknown of [id, randomUUID(), 'x']) {
        expect(refusalOf(await get(unknown))).toEqual(notFound)
      }
    })
  })
}

/** What the tests of a list do. */
function useDirectoryList(api: TestApi, { list, member, fields }: DirectoryKind) {
  const getOne = async (id: string) =>
    (await api.callInternal('get', `/${list}/${id}`)).body[member]
  return {
    getOne,
    read: (query: Record<string, string> = {}) =>
      api.callInternal('get', `/${list}?${new URLSearchParams(query).toString()}`),
    /** Creates records one after the other. */
    async makeRecords(count: number, tenant: TestTenant) {
      const made = []
      for (let index = 0; index < count; index++) {
        const [id, body] = [randomUUID(), fields(tenant)]
        await api.callInternal('put', `/${list}/${id}`, body)
        made.push({ id, body, record: await getOne(id) })
      }
      return made
    },
  }
}

/** The tests of a route that lists records of the directory. */
export function testDirectoryList(api: TestApi, kind: DirectoryKind): void {
  const { list } = kind
  const { getOne, read, makeRecords } = useDirectoryList(api, kind)

  testServiceAccess(api, { verb: 'get', path: `/${list}` })
  testBadQueries(api, kind)

  describe(`GET /${list}`, () => {
    test('200 returns the records changed at or after a time, oldest change first', async () => {
      const [, first, second, third] = await makeRecords(4, await api.makeTenant())
      await api.callInternal('put', `/${list}/${first!.id}`, { ...first!.body, name: 'Changed' })
      const { status, body } = await read({ updated_since: second!.record.updated_at })
      expect(status).toBe(200)
      expect(body.items.slice(-3)).toEqual([second!.record, third!.record, await getOne(first!.id)])
      expect(body.next_cursor).toBeNull()
    })

    test('pages continue without gaps or repetitions', async () => {
      const made = await makeRecords(5, await api.makeTenant())
      const since = { updated_since: made[0]!.record.updated_at, limit: '2' }
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { body } = await read({ ...since, ...(cursor !== undefined && { cursor }) })
        seen.push(...body.items.map(({ id }: { id: string }) => id))
        cursor = body.next_cursor ?? undefined
      } while (cursor !== undefined)
      expect(seen.slice(-5)).toEqual(made.map(({ id }) => id))
      expect(new Set(seen).size).toBe(seen.length)
    })

    test('deleted records are not listed', async () => {
      const [gone, kept] = await makeRecords(2, await api.makeTenant())
      await api.callInternal('delete', `/${list}/${gone!.id}`)
      const { body } = await read({ updated_since: gone!.record.updated_at })
      const ids = body.items.map(({ id }: { id: string }) => id)
      expect(ids).toContain(kept!.id)
      expect(ids).not.toContain(gone!.id)
    })
  })
}

/** The test of the filter by organization. */
export function testTenantFilter(api: TestApi, kind: DirectoryKind): void {
  const { read, makeRecords } = useDirectoryList(api, kind)

  test('tenant_id limits the list to an organization; an unknown organization has no records', async () => {
    const [tenant, other] = [await api.makeTenant(), await api.makeTenant()]
    const made = await makeRecords(3, tenant)
    await makeRecords(1, other)
    const first = await read({ tenant_id: tenant.id, limit: '2' })
    const rest = await read({ tenant_id: tenant.id, cursor: first.body.next_cursor })
    expect([...first.body.items, ...rest.body.items]).toEqual(made.map(({ record }) => record))
    expect((await read({ tenant_id: randomUUID() })).body.items).toEqual([])
  })
}

function testBadQueries(api: TestApi, kind: DirectoryKind): void {
  const { read } = useDirectoryList(api, kind)

  test('a page has up to 1,000 records', async () => {
    expect((await read({ limit: '1000' })).status).toBe(200)
  })

  test.each<[string, Record<string, string>]>([
    ['limit', { limit: '0' }],
    ['limit', { limit: '1001' }],
    ['limit', { limit: 'all' }],
    ['updated_since', { updated_since: 'yesterday' }],
    ['updated_since', { updated_since: '2026-02-30T00:00:00Z' }],
    ['cursor', { cursor: 'bm90aWNlOjE' }],
    ['cursor', { cursor: '!' }],
    ['tenant_id', { tenant_id: 'acme' }],
    ['colour', { colour: 'red' }],
  ])('422 names %s in %j', async (name, query) => {
    expect(refusalOf(await read(query))).toEqual(invalid(`/${name}`))
  })
}
