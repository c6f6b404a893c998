import { createKeySecret, createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import { plainCursor } from '../support/delivery-list.ts'
import { testAccess, type Guard } from '../support/access.ts'
import { idsOf, type AuditView, useAuditList } from '../support/audit-list.ts'
import { makeKeyWith, statusWith } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1' })

const readsAudit: Guard = {
  scope: 'audit:read',
  covering: [['audit:read'], ['audit:write'], ['*:read'], ['*']],
  lacking: [[], ['apikeys:write'], ['webhooks:read', 'tenant:write']],
  roles: ['admin', 'support'],
}

testAccess(api, { verb: 'get', path: '/audit-log' }, readsAudit)

const { list } = useAuditList(api)

describe('GET /audit-log: key changes', () => {
  test('200 lists each with actor, target, address and request, newest first, without secrets', async () => {
    const { admin } = await api.makeAdmin()
    const headers = { 'x-request-id': 'req-1', 'x-forwarded-for': '203.0.113.7' }
    const call = (verb: 'post' | 'patch' | 'delete', path: string, body?: unknown) =>
      api.call(verb, path, { token: admin.token, body, headers })
    const made = await call('post', '/api-keys', { name: 'Deploy', scopes: ['sites:read'] })
    const { id } = made.body.key
    await call('patch', `/api-keys/${id}`, { scopes: ['dns:read'] })
    const rotated = await call('post', `/api-keys/${id}/rotate`, { grace_seconds: 60 })
    await call('delete', `/api-keys/${id}`)
    const { items, next_cursor } = await list(admin.token)
    expect(next_cursor).toBeNull()
    expect(items.map(({ action }) => action)).toEqual([
      'api_key.revoke',
      'api_key.rotate',
      'api_key.update',
      'api_key.create',
    ])
    for (const item of items) {
      expect(item).toEqual({
        id: expect.any(String),
        occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        action: item.action,
        outcome: 'success',
        reason: null,
        actor: { type: 'user', id: admin.userId, name: 'Ana', key_id: admin.id },
        target: { type: 'api_key', id },
        ip: '203.0.113.7',
        request_id: 'req-1',
        details: expect.any(Object),
      })
    }
    const text = JSON.stringify(items)
    for (const { token } of [made.body, rotated.body]) {
      expect(text).not.toContain(token.split('_')[2])
    }
  })

  test('actions of an organization key have its service user as the actor', async () => {
    const { admin } = await api.makeAdmin()
    const organization = await makeKeyWith(api, admin.token, { kind: 'organization' })
    await makeWebhook(api, organization.token)
    expect((await list(admin.token)).items[0]).toMatchObject({
      action: 'webhook.create',
      actor: {
        type: 'service_user',
        id: organization.key.user.id,
        name: 'Deploy',
        key_id: organization.id,
      },
    })
  })

  test('events of another organization are never listed', async () => {
    const [one, two] = [await api.makeAdmin(), await api.makeAdmin()]
    await makeKeyWith(api, one.admin.token)
    expect((await list(two.admin.token)).items).toEqual([])
    expect((await list(two.admin.token, `key_id=${one.admin.id}`)).items).toEqual([])
  })
})

describe('GET /audit-log: filters', () => {
  let tenant: TestTenant
  let admin: TestKey
  let colleague: TestKey
  let made: string
  let all: AuditView[]
  beforeAll(async () => {
    tenant = await api.makeTenant()
    admin = await tenant.makeKey()
    colleague = await tenant.makeKey()
    made = (await makeKeyWith(api, admin.token)).id
    await statusWith(api, formatKeyToken(createKeySecret(made)))
    await makeWebhook(api, colleague.token)
    await api.call('delete', `/api-keys/${made}`, { token: colleague.token })
    all = (await list(admin.token)).items
  })

  test('returns the events of an action', async () => {
    const { items } = await list(admin.token, 'action=api_key.create')
    expect(items).toEqual([all.at(-1)])
    expect((await list(admin.token, 'action=nothing')).items).toEqual([])
  })

  test('key_id matches the actor and the target', async () => {
    const actionsOf = async (keyId: string) =>
      (await list(admin.token, `key_id=${keyId}`)).items.map(({ action }) => action)
    expect(await actionsOf(made)).toEqual(['api_key.revoke', 'api_key.refuse', 'api_key.create'])
    expect(await actionsOf(admin.id)).toEqual(['api_key.create'])
    expect(await actionsOf(colleague.id)).toEqual(['api_key.revoke', 'webhook.create'])
    expect(await actionsOf(createKeyToken().id)).toEqual([])
  })

  test('returns the events of an actor', async () => {
    const { items } = await list(admin.token, `actor_id=${colleague.userId}`)
    expect(idsOf(items)).toEqual(idsOf([all[0]!, all[1]!]))
    expect((await list(admin.token, `actor_id=${randomUUID()}`)).items).toEqual([])
  })

  test('returns the events of a target, by its id and by its type', async () => {
    const webhook = all.filter(({ target }) => target.type === 'webhook')
    expect(webhook).toHaveLength(1)
    const { id } = webhook[0]!.target
    expect((await list(admin.token, `target_id=${id}`)).items).toEqual(webhook)
    expect((await list(admin.token, 'target_type=webhook')).items).toEqual(webhook)
    expect((await list(admin.token, `target_id=${id}&target_type=api_key`)).items).toEqual([])
    const other = await api.makeAdmin()
    expect((await list(other.admin.token, `target_id=${id}`)).items).toEqual([])
  })

  test('returns the events with an outcome, and those from an address in any notation', async () => {
    const refused = all.filter(({ outcome }) => outcome === 'refused')
    expect(refused).toHaveLength(1)
    expect((await list(admin.token, 'outcome=refused')).items).toEqual(refused)
    expect((await list(admin.token, 'outcome=success')).items).toHaveLength(all.length - 1)
    expect((await list(admin.token, 'ip=::ffff:127.0.0.1')).items).toEqual(all)
    expect((await list(admin.token, 'ip=127.0.0.2')).items).toEqual([])
  })

  test('q finds a name of the actor, and names of the target before and after a change', async () => {
    const own = await api.makeAdmin()
    const key = await makeKeyWith(api, own.admin.token, { name: 'Nightly_Backup' })
    await api.call('patch', `/api-keys/${key.id}`, {
      token: own.admin.token,
      body: { name: 'Weekly 100%' },
    })
    const actionsOf = async (text: string) =>
      (await list(own.admin.token, `q=${encodeURIComponent(text)}`)).items.map(
        ({ action }) => action,
      )
    expect(await actionsOf('nightly_b')).toEqual(['api_key.update', 'api_key.create'])
    expect(await actionsOf('100%')).toEqual(['api_key.update'])
    expect(await actionsOf('nightly%b')).toEqual([])
    expect(await actionsOf('ANA')).toEqual(['api_key.update', 'api_key.create'])
    expect(await actionsOf('sites:read')).toEqual([])
  })

  test('by time: `since` is inclusive, `until` is exclusive', async () => {
    const moment = all[1]!.occurred_at
    const since = (await list(admin.token, `since=${moment}`)).items
    const before = (await list(admin.token, `until=${moment}`)).items
    expect(since).toEqual(all.filter(({ occurred_at }) => occurred_at >= moment))
    expect(before).toEqual(all.filter(({ occurred_at }) => occurred_at < moment))
    expect((await list(admin.token, `since=${moment}&until=${moment}`)).items).toEqual([])
    expect((await list(admin.token, 'since=2199-01-01T00:00:00%2B02:00')).items).toEqual([])
  })

  test('filters combine, and apply to every page', async () => {
    const query = `key_id=${made}&actor_id=${colleague.userId}&action=api_key.revoke`
    expect((await list(admin.token, query)).items).toEqual([all[0]])
    const first = await list(admin.token, `key_id=${made}&limit=2`)
    const second = await list(admin.token, `key_id=${made}&cursor=${first.next_cursor}`)
    expect([...first.items, ...second.items].map(({ action }) => action)).toEqual([
      'api_key.revoke',
      'api_key.refuse',
      'api_key.create',
    ])
  })
})

describe('GET /audit-log: pages', () => {
  test.each([1, 2, 5])(
    'of %i entries, read in sequence, return every event exactly once',
    async (limit) => {
      const { admin } = await api.makeAdmin()
      for (let count = 0; count < 4; count++) await makeKeyWith(api, admin.token)
      const all = idsOf((await list(admin.token)).items)
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page = await list(admin.token, `limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
        seen.push(...idsOf(page.items))
        cursor = page.next_cursor
      } while (cursor)
      expect(seen).toEqual(all)
      expect(all).toHaveLength(4)
    },
  )
})

describe('GET /audit-log: invalid queries', () => {
  test.each([
    ['limit=0', ['/limit']],
    ['limit=101', ['/limit']],
    ['action=', ['/action']],
    [`action=${'a'.repeat(101)}`, ['/action']],
    ['key_id=', ['/key_id']],
    ['key_id=AAAAAAAAAAAA', ['/key_id']],
    ['actor_id=', ['/actor_id']],
    ['actor_id=nobody', ['/actor_id']],
    ['since=yesterday', ['/since']],
    ['until=2026-02-30T00:00:00Z', ['/until']],
    ['since=2026-01-01', ['/since']],
    ['since=0000-12-31T23:59:59Z', ['/since']],
    ['until=0001-01-01T00:00:00%2B14:00', ['/until']],
    ['since=x&until=y', ['/since', '/until']],
    ['actor=x', ['/actor']],
    ['outcome=failed', ['/outcome']],
    ['ip=localhost', ['/ip']],
    ['ip=10.0.0.0/8', ['/ip']],
    ['q=', ['/q']],
    ['q=a%00', ['/q']],
    ['target_type=', ['/target_type']],
    [`target_id=${'a'.repeat(256)}`, ['/target_id']],
    ['action=a%00', ['/action']],
    ['cursor=nonsense', ['/cursor']],
    [`cursor=${plainCursor('api-keys', randomUUID())}`, ['/cursor']],
    [`cursor=${plainCursor('audit-log', 'x')}`, ['/cursor']],
  ])('422 validation_failed for ?%s', async (query, pointers) => {
    const { admin } = await api.makeAdmin()
    const response = await api.call('get', `/audit-log?${query}`, { token: admin.token })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
  })
})
