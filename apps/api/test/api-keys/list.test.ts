import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import { plainCursor } from '../support/delivery-list.ts'
import { testAccess } from '../support/access.ts'
import { makeKeyWith, makePeople, pass, readsKeys, showKey, type KeyView } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()

testAccess(api, { verb: 'get', path: '/api-keys' }, readsKeys)

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)

async function list(token: string, query = '') {
  const response = await api.call('get', `/api-keys?${query}`, { token })
  if (response.status !== 200) throw new Error(`A list was refused: ${response.text}`)
  return response.body as { items: KeyView[]; next_cursor: string | null }
}

const listIds = async (token: string, query?: string) => idsOf((await list(token, query)).items)

test('200 lists the same records as GET by id, newest first, without tokens', async () => {
  const { admin } = await api.makeAdmin()
  const made = [
    await makeKeyWith(api, admin.token, { scopes: ['sites:read'], rate_limit_per_minute: 5 }),
    await makeKeyWith(api, admin.token, { kind: 'organization', ip_allowlist: ['10.0.0.0/8'] }),
  ]
  const { items, next_cursor } = await list(admin.token)
  expect(items.slice(0, 2)).toEqual([made[1]!.key, made[0]!.key])
  expect(items[2]!.id).toBe(admin.id)
  expect(next_cursor).toBeNull()
  const { text } = await api.call('get', '/api-keys', { token: admin.token })
  for (const { token } of [...made, admin]) expect(text).not.toContain(token.split('_')[2])
  expect(items[0]).toEqual(await showKey(api, admin.token, made[1]!.id))
})

describe('GET /api-keys: visibility', () => {
  test('admins, support and organization keys see all keys, resellers and customers only their own', async () => {
    const tenant = await api.makeTenant()
    const people = await makePeople(tenant)
    const organization = await makeKeyWith(api, people.admin.token, { kind: 'organization' })
    const own = await makeKeyWith(api, people.customer.token)
    const all = [...idsOf(Object.values(people)), organization.id, own.id].toSorted()
    for (const { token } of [people.admin, people.support, organization]) {
      expect((await listIds(token)).toSorted()).toEqual(all)
    }
    expect(await listIds(people.reseller.token)).toEqual([people.reseller.id])
    expect(await listIds(people.customer.token)).toEqual([own.id, people.customer.id])
    expect(await listIds(people.customer.token, 'kind=organization')).toEqual([])
  })

  test('keys of other organizations are never listed', async () => {
    const stranger = await (await api.makeTenant()).makeKey()
    const admin = await (await api.makeTenant()).makeKey()
    expect(await listIds(admin.token)).toEqual([admin.id])
    expect(await listIds(stranger.token)).toEqual([stranger.id])
  })

  test('admins still see keys of deactivated and deleted users', async () => {
    const tenant = await api.makeTenant()
    const [admin, gone] = [await tenant.makeKey(), await tenant.makeKey()]
    await api.callInternal('delete', `/users/${gone.userId}`)
    expect(await listIds(admin.token)).toEqual([gone.id, admin.id])
  })
})

describe('GET /api-keys: filters', () => {
  let admin: TestKey
  const made: Record<string, string> = {}
  beforeAll(async () => {
    admin = await (await api.makeTenant()).makeKey()
    const make = async (name: string, fields = {}) => {
      made[name] = (await makeKeyWith(api, admin.token, { name, ...fields })).id
    }
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const later = new Date(Date.now() + 7_200_000).toISOString()
    await make('personal')
    await make('organization', { kind: 'organization', expires_at: later })
    await make('expired', { expires_at })
    await make('expired organization', { expires_at, kind: 'organization' })
    await make('revoked')
    await make('revoked, then expired', { expires_at })
    for (const name of ['revoked', 'revoked, then expired']) {
      await api.call('delete', `/api-keys/${made[name]!}`, { token: admin.token })
    }
    await pass(api, 3_600_000, ...Object.values(made))
  })

  test.each([
    ['status=active', ['organization', 'personal']],
    ['status=expired', ['expired organization', 'expired']],
    ['status=revoked', ['revoked, then expired', 'revoked']],
    ['kind=organization', ['expired organization', 'organization']],
    ['kind=organization&status=expired', ['expired organization']],
    ['kind=personal&status=active', ['personal']],
    ['kind=organization&status=revoked', []],
    ['kind=personal', ['revoked, then expired', 'revoked', 'expired', 'personal']],
  ])('?%s returns %j', async (query, names) => {
    const items = (await list(admin.token, query)).items.filter(({ id }) => id !== admin.id)
    expect(items.map(({ name }) => name)).toEqual(names)
    const [, status] = /status=(\w+)/.exec(query) ?? []
    for (const item of items) expect(item.status).toBe(status ?? item.status)
  })
})

test('?revoked=false hides only revoked keys, and other values are refused', async () => {
  const { token, id } = await (await api.makeTenant()).makeKey()
  const [kept, expired, revoked] = [
    await makeKeyWith(api, token),
    await makeKeyWith(api, token, { expires_at: new Date(Date.now() + 60_000).toISOString() }),
    await makeKeyWith(api, token),
  ]
  await pass(api, 120_000, expired.id)
  await api.call('delete', `/api-keys/${revoked.id}`, { token })
  expect(await listIds(token, 'revoked=false')).toEqual([expired.id, kept.id, id])
  const response = await api.call('get', '/api-keys?revoked=true', { token })
  expect(refusalOf(response)).toEqual(invalid('/revoked'))
})

describe('GET /api-keys: filters q and user_id', () => {
  const names = ['Deploy 100%', 'deploy_staging', 'deployXstaging', 'back\\slash', 'Ärger', 'other']
  let admin: TestKey
  let colleague: TestKey
  beforeAll(async () => {
    const tenant = await api.makeTenant()
    admin = await tenant.makeKey()
    colleague = await tenant.makeKey()
    for (const name of names) await makeKeyWith(api, admin.token, { name })
  })

  test.each([
    ['deploy', ['deployXstaging', 'deploy_staging', 'Deploy 100%']],
    ['DEPLOY_', ['deploy_staging']],
    ['%', ['Deploy 100%']],
    ['0%', ['Deploy 100%']],
    ['\\', ['back\\slash']],
    ['ärger', ['Ärger']],
    ['no such name', []],
    ['x'.repeat(100), []],
  ])(
    '?q=%s returns the keys whose name contains it literally, in any case',
    async (q, expected) => {
      const { items } = await list(admin.token, `q=${encodeURIComponent(q)}`)
      expect(items.map(({ name }) => name)).toEqual(expected)
    },
  )

  test('?user_id returns the keys that act as the user', async () => {
    expect(await listIds(admin.token, `user_id=${colleague.userId}`)).toEqual([colleague.id])
    expect(await listIds(admin.token, `user_id=${randomUUID()}`)).toEqual([])
    expect(await listIds(admin.token, `user_id=${colleague.userId}&q=deploy`)).toEqual([])
  })

  test("?user_id does not reveal another person's keys that the caller may not see", async () => {
    const people = await makePeople(await api.makeTenant())
    const { token } = people.customer
    expect(await listIds(token, `user_id=${people.admin.userId}`)).toEqual([])
  })
})

describe('GET /api-keys: pages', () => {
  let tenant: TestTenant
  let admin: TestKey
  let all: string[]
  beforeAll(async () => {
    tenant = await api.makeTenant()
    admin = await tenant.makeKey()
    for (let count = 0; count < 6; count++) await makeKeyWith(api, admin.token)
    // Made in the same millisecond, as they may be.
    await api.database.pool.query(
      `UPDATE api_keys SET created_at = date_trunc('second', now()) WHERE tenant_id = $1 AND id <> $2`,
      [tenant.id, admin.id],
    )
    all = await listIds(admin.token)
  })

  test.each([1, 2, 3, 7, 100])(
    'of %i keys, read in sequence, return every key once',
    async (limit) => {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page = await list(admin.token, `limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
        expect(page.items.length).toBeLessThanOrEqual(limit)
        expect(page.items.length).toBeGreaterThan(0)
        seen.push(...idsOf(page.items))
        cursor = page.next_cursor
      } while (cursor)
      expect(seen).toEqual(all)
      expect(new Set(seen).size).toBe(7)
    },
  )

  test('keys created while paging neither repeat nor hide older keys', async () => {
    const first = await list(admin.token, 'limit=3')
    const fresh = await makeKeyWith(api, admin.token)
    const second = await listIds(admin.token, `limit=100&cursor=${first.next_cursor}`)
    expect([...idsOf(first.items), ...second]).toEqual(all)
    await api.database.prisma.apiKey.delete({ where: { id: fresh.id } })
  })

  test('a cursor remains valid after the key at its position is deleted', async () => {
    const { id } = await makeKeyWith(api, admin.token)
    const first = await list(admin.token, 'limit=1')
    expect(idsOf(first.items)).toEqual([id])
    await api.database.prisma.apiKey.delete({ where: { id } })
    expect(await listIds(admin.token, `cursor=${first.next_cursor}`)).toEqual(all)
  })

  test('filters apply to every page', async () => {
    const { id } = await makeKeyWith(api, admin.token, { kind: 'organization' })
    const first = await list(admin.token, 'kind=personal&limit=4')
    const second = await listIds(admin.token, `kind=personal&cursor=${first.next_cursor}`)
    expect([...idsOf(first.items), ...second]).toEqual(all)
    expect(await listIds(admin.token, 'kind=organization&limit=1')).toEqual([id])
  })

  test('a caller of another organization can use the cursor, but sees only its own keys', async () => {
    const { next_cursor } = await list(admin.token, 'limit=1')
    const stranger = await (await api.makeTenant()).makeKey()
    expect(await listIds(stranger.token, `cursor=${next_cursor}`)).not.toEqual(
      expect.arrayContaining([all[1]]),
    )
  })
})

describe('GET /api-keys: invalid queries', () => {
  test.each([
    ['q=', ['/q']],
    [`q=${'x'.repeat(101)}`, ['/q']],
    ['q=%00', ['/q']],
    ['user_id=Ada', ['/user_id']],
    ['limit=0', ['/limit']],
    ['limit=101', ['/limit']],
    ['limit=-1', ['/limit']],
    ['limit=1.5', ['/limit']],
    ['limit=%2B5', ['/limit']],
    ['limit=ten', ['/limit']],
    ['limit=', ['/limit']],
    ['limit=1e1', ['/limit']],
    ['limit=0x10', ['/limit']],
    ['limit=%205', ['/limit']],
    ['limit=Infinity', ['/limit']],
    [`limit=${'9'.repeat(400)}`, ['/limit']],
    ['limit=Infinity&status=x', ['/limit', '/status']],
    ['limit=1&limit=2', ['/limit']],
    ['kind=service', ['/kind']],
    ['kind=', ['/kind']],
    ['status=unusable', ['/status']],
    ['status=active,revoked', ['/status']],
    ['limit=0&status=x', ['/limit', '/status']],
    ['user=x', ['/user']],
    ['cursor=', ['/cursor']],
    ['cursor=nonsense', ['/cursor']],
    [`cursor=${plainCursor('webhooks', randomUUID())}`, ['/cursor']],
    [`cursor=${plainCursor('webhooks', '1.aaaaaaaaaaaa')}`, ['/cursor']],
    [`cursor=${plainCursor('audit-log', '1.aaaaaaaaaaaa')}`, ['/cursor']],
    [`cursor=${plainCursor('api-keys', randomUUID())}`, ['/cursor']],
    [`cursor=${plainCursor('api-keys', '1.AAAAAAAAAAAA')}`, ['/cursor']],
    [`cursor=${plainCursor('api-keys', '-1.aaaaaaaaaaaa')}`, ['/cursor']],
    [`cursor=${plainCursor('api-keys', '99999999999999999.aaaaaaaaaaaa')}`, ['/cursor']],
    [`cursor=${plainCursor('api-keys', "1.aaaaaaaaaaaa'")}`, ['/cursor']],
  ])('422 validation_failed for ?%s', async (query, pointers) => {
    const { token } = await (await api.makeTenant()).makeKey()
    const response = await api.call('get', `/api-keys?${query}`, { token })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
  })
})
