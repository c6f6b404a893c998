import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { plainCursor } from '../support/delivery-list.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { publish } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook, type WebhookRecord } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: '/webhooks' } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

async function makeWebhooks(token: string, count: number): Promise<WebhookRecord[]> {
  const made: WebhookRecord[] = []
  while (made.length < count) made.push(await makeWebhook(api, token))
  return made
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)

describe('GET /webhooks', () => {
  test('200 returns an empty list for an organization without endpoints', async () => {
    const { token } = await api.makeAdmin()
    const { status, body } = await api.call('get', '/webhooks', { token })
    expect(status).toBe(200)
    expect(body).toEqual({ items: [], next_cursor: null })
  })

  test('200 lists the same records as GET by id, newest first', async () => {
    const { token } = await api.makeAdmin()
    const made = await makeWebhooks(token, 3)
    const { body } = await api.call('get', '/webhooks', { token })
    expect(body).toEqual({ items: made.toReversed(), next_cursor: null })
  })

  test('another organization sees no endpoints, a colleague sees all', async () => {
    const { token, tenant } = await api.makeAdmin()
    const [webhook] = await makeWebhooks(token, 1)
    const stranger = await api.makeAdmin()
    expect((await api.call('get', '/webhooks', { token: stranger.token })).body.items).toEqual([])
    const colleague = await tenant.makeKey({ roles: ['support'] })
    const { body } = await api.call('get', '/webhooks', { token: colleague.token })
    expect(idsOf(body.items)).toEqual([webhook!.id])
  })

  test('deleted endpoints are not listed', async () => {
    const { token } = await api.makeAdmin()
    const [first, second] = await makeWebhooks(token, 2)
    await api.call('delete', `/webhooks/${first!.id}`, { token })
    const { body } = await api.call('get', '/webhooks', { token })
    expect(idsOf(body.items)).toEqual([second!.id])
  })

  test('waiting_deliveries counts only waiting deliveries, not those in flight or complete', async () => {
    const { token, tenant } = await api.makeAdmin()
    const busy = await makeWebhook(api, token)
    const idle = await makeWebhook(api, token, { events: ['server.*'] })
    const published = []
    for (let index = 0; index < 4; index++) published.push(await publish(api, tenant.id))
    await startAttempt(api, published[0]!.deliveryIds[0]!, 1)
    await makeAttempts(api, published[1]!.deliveryIds[0]!, [success])
    const { body } = await api.call('get', '/webhooks', { token })
    expect(body.items).toMatchObject([
      { id: idle.id, waiting_deliveries: 0 },
      { id: busy.id, waiting_deliveries: 2 },
    ])
  })
})

describe('GET /webhooks: pages', () => {
  test('every endpoint is on exactly one page, newest first, and the last page has no cursor', async () => {
    const { token } = await api.makeAdmin()
    const made = await makeWebhooks(token, 5)
    const pages: string[][] = []
    let path = '/webhooks?limit=2'
    for (;;) {
      const { body } = await api.call('get', path, { token })
      pages.push(idsOf(body.items))
      if (body.next_cursor === null) break
      path = `/webhooks?limit=2&cursor=${body.next_cursor}`
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(idsOf(made).toReversed())
  })

  test('a full last page has no cursor', async () => {
    const { token } = await api.makeAdmin()
    await makeWebhooks(token, 2)
    const { body } = await api.call('get', '/webhooks?limit=2', { token })
    expect(body.items).toHaveLength(2)
    expect(body.next_cursor).toBeNull()
  })

  test('endpoints created or deleted between pages move no others', async () => {
    const { token } = await api.makeAdmin()
    const [first, second, third] = await makeWebhooks(token, 3)
    const page = (await api.call('get', '/webhooks?limit=1', { token })).body
    expect(idsOf(page.items)).toEqual([third!.id])
    await makeWebhooks(token, 1)
    await api.call('delete', `/webhooks/${third!.id}`, { token })
    const rest = await api.call('get', `/webhooks?cursor=${page.next_cursor}`, { token })
    expect(idsOf(rest.body.items)).toEqual([second!.id, first!.id])
  })

  test.each(['1', '100'])('200 accepts the limit %s', async (limit) => {
    const { token } = await api.makeAdmin()
    expect((await api.call('get', `/webhooks?limit=${limit}`, { token })).status).toBe(200)
  })

  test('a cursor of another organization gives no access to its endpoints', async () => {
    const owner = await api.makeAdmin()
    await makeWebhooks(owner.token, 2)
    const { body } = await api.call('get', '/webhooks?limit=1', { token: owner.token })
    const stranger = await api.makeAdmin()
    const path = `/webhooks?cursor=${body.next_cursor}`
    expect((await api.call('get', path, { token: stranger.token })).body.items).toEqual([])
  })
})

describe('GET /webhooks: invalid queries', () => {
  test.each([
    ['limit=0', ['/limit']],
    ['limit=101', ['/limit']],
    ['limit=-1', ['/limit']],
    ['limit=1.5', ['/limit']],
    ['limit=ten', ['/limit']],
    ['limit=', ['/limit']],
    ['limit=1&limit=2', ['/limit']],
    ['cursor=', ['/cursor']],
    ['cursor=nonsense', ['/cursor']],
    ['cursor=a%00b', ['/cursor']],
    ['cursor=a&cursor=b', ['/cursor']],
    [`cursor=${plainCursor('webhook-deliveries', randomUUID())}`, ['/cursor']],
    [`cursor=${plainCursor('webhooks', 'x')}`, ['/cursor']],
    [`cursor=${plainCursor('webhooks', `${randomUUID()}'`)}`, ['/cursor']],
    [`cursor=${randomUUID()}`, ['/cursor']],
    ['enabled=true', ['/enabled']],
    ['limit[gt]=1', ['/limit[gt]']],
    ['__proto__=1', ['/__proto__']],
  ])('422 validation_failed for ?%s', async (query, pointers) => {
    const { token } = await api.makeAdmin()
    const response = await api.call('get', `/webhooks?${query}`, { token })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
  })
})
