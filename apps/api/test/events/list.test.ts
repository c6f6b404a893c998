import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { plainCursor, makeSubscriber } from '../support/delivery-list.ts'
import { readsWebhooks, testAccess } from '../support/access.ts'
import { buildEvent } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()

testAccess(api, { verb: 'get', path: '/events' }, readsWebhooks)

interface Envelope {
  readonly id: string
  readonly type: string
}

const read = async (token: string, query = '') => {
  const { status, body } = await api.call('get', `/events${query}`, { token })
  expect(status).toBe(200)
  return body as { items: Envelope[]; next_cursor: string }
}

/** Publishes events one after the other; gives their ids. */
async function publishAll(tenant: TestTenant, events: readonly object[]): Promise<string[]> {
  const ids: string[] = []
  for (const event of events) {
    const built = { ...buildEvent(tenant.id), ...event }
    const { status, body } = await api.callInternal('post', '/events', built)
    expect(status).toBe(202)
    ids.push(body.items[0].id)
  }
  return ids
}

const idsOf = ({ items }: { items: Envelope[] }) => items.map(({ id }) => id)
const agoDays = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

describe('GET /events', () => {
  test('200 returns the envelopes as delivered, oldest first, with or without an endpoint', async () => {
    const { tenant, token } = await api.makeAdmin()
    const createdAt = agoDays(2)
    const [id] = await publishAll(tenant, [{ created_at: createdAt }])
    const { data, type } = buildEvent(tenant.id)
    const page = await read(token)
    expect(page).toEqual({
      items: [{ id, type, created_at: createdAt, tenant_id: tenant.id, data }],
      next_cursor: expect.any(String),
    })
  })

  test('200 continues after next_cursor, even at the end and with other filters', async () => {
    const { tenant, token } = await api.makeAdmin()
    const ids = await publishAll(tenant, [{}, {}, {}])
    const first = await read(token, '?limit=2')
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    const second = await read(token, `?limit=2&cursor=${first.next_cursor}`)
    expect(idsOf(second)).toEqual(ids.slice(2))
    const end = await read(token, `?cursor=${second.next_cursor}`)
    expect(end).toEqual({ items: [], next_cursor: second.next_cursor })
    const later = await publishAll(tenant, [{}])
    expect(idsOf(await read(token, `?types=site.*&cursor=${end.next_cursor}`))).toEqual(later)
  })

  test('200 contains neither pings and tests nor events of other organizations', async () => {
    const subscriber = await makeSubscriber(api)
    const other = await api.makeTenant()
    await publishAll(other, [{}])
    const { token, webhookId } = subscriber
    await api.call('post', `/webhooks/${webhookId}/ping`, { token })
    const body = { event_type: 'site.created' }
    const { body: tested } = await api.call('post', `/webhooks/${webhookId}/test`, { token, body })
    expect((await read(token)).items).toEqual([])
    const path = `/events/${tested.delivery.event.id}`
    expect((await api.call('get', path, { token })).status).toBe(404)
  })

  test('200 contains an event once, even if it was published twice with the same id', async () => {
    const { tenant, token } = await api.makeAdmin()
    const id = randomUUID()
    await publishAll(tenant, [{ id }, { id }])
    expect(idsOf(await read(token))).toEqual([id])
  })

  test('200 starts at since, which is compared with created_at', async () => {
    const { tenant, token } = await api.makeAdmin()
    const [, recent, now] = await publishAll(tenant, [
      { created_at: agoDays(9) },
      { created_at: agoDays(3) },
      {},
    ])
    expect(idsOf(await read(token, `?since=${agoDays(5)}`))).toEqual([recent, now])
    expect(idsOf(await read(token, `?since=${agoDays(90)}`))).toHaveLength(3)
    const page = await read(token, `?since=${agoDays(5)}&limit=1`)
    expect(idsOf(page)).toEqual([recent])
    expect(idsOf(await read(token, `?cursor=${page.next_cursor}`))).toEqual([now])
  })
})

describe('filters', () => {
  let tenant: TestTenant
  let token: string
  let site: string
  let account: string
  let job: string
  beforeAll(async () => {
    ;({ tenant, token } = await api.makeAdmin())
    const types = ['site.created', 'account.deleted', 'job.failed']
    const events = types.map((type) => buildEvent(tenant.id, { type }))
    ;[site, account, job] = (await publishAll(tenant, events)) as [string, string, string]
  })

  test.each([
    ['types=site.created', () => [site]],
    ['types=site.*,job.failed', () => [site, job]],
    ['types=*', () => [site, account, job]],
    ['account_id=acc-1', () => [site, account]],
    ['object_id=acc-1', () => [account]],
    ['object_id=site-1&account_id=acc-1&types=site.*', () => [site]],
    ['object_id=site-1&types=job.*', () => []],
    ['object_id=SITE-1', () => []],
    ['account_id=none', () => []],
  ])('200 ?%s', async (query, expected) => {
    expect(idsOf(await read(token, `?${query}`))).toEqual(expected())
  })

  test.each([
    ['types=', '/types'],
    ['types=webhook.ping', '/types'],
    ['types=site.created,,job.*', '/types'],
    ['types=site.created,job.*,site.created', '/types'],
    [`types=${Array.from({ length: 21 }, () => 'site.*').join(',')}`, '/types'],
    ['limit=0', '/limit'],
    ['limit=1001', '/limit'],
    ['since=yesterday', '/since'],
    ['cursor=nonsense', '/cursor'],
    [`cursor=${plainCursor('webhooks', randomUUID())}`, '/cursor'],
    [`cursor=${plainCursor('events', '1.2')}`, '/cursor'],
    [`cursor=${plainCursor('events', '00000000.1.1000')}`, '/cursor'],
    [`cursor=${plainCursor('events', '00000000.1.1')}&since=2026-01-01T00:00:00Z`, '/since'],
    ['until=2026-01-01T00:00:00Z', '/until'],
  ])('422 validation_failed for ?%s', async (query, pointer) => {
    const response = await api.call('get', `/events?${query}`, { token })
    expect(refusalOf(response)).toEqual(invalid(pointer))
  })
})
