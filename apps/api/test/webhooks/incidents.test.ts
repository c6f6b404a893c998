import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { recordAttempts } from '../support/recorded-attempts.ts'
import { notFound, refusalOf } from '../support/refusals.ts'

const api = useApi()
const request = { verb: 'get', path: `/webhooks/${randomUUID()}/incidents` } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

const list = async ({ token, webhookId }: Subscriber, query = '') =>
  api.call('get', `/webhooks/${webhookId}/incidents${query}`, { token })

const patch = ({ token, webhookId }: Subscriber, body: object) =>
  api.call('patch', `/webhooks/${webhookId}`, { token, body })

describe('GET /webhooks/{id}/incidents', () => {
  test('200 lists them newest first, in pages', async () => {
    const subscriber = await makeSubscriber(api)
    const [first] = await recordAttempts(api, subscriber, 'FFFFFFS')
    const [second] = await recordAttempts(api, subscriber, 'FFFFF')
    const page = (await list(subscriber, '?limit=1')).body
    expect(page.items).toEqual([
      {
        id: expect.any(String),
        opened_at: second,
        closed_at: null,
        closed_by: null,
        failed_attempts: 5,
        last_status_code: 503,
        last_error_class: 'http_error',
      },
    ])
    const rest = (await list(subscriber, `?limit=1&cursor=${page.next_cursor}`)).body
    expect(rest).toMatchObject({
      items: [{ opened_at: first, closed_by: 'success', failed_attempts: 6 }],
      next_cursor: null,
    })
    expect(Date.parse(rest.items[0].closed_at)).toBeGreaterThan(Date.parse(first!))
  })

  test.each([
    ['disabled', (subscriber: Subscriber) => patch(subscriber, { enabled: false })],
    [
      'deleted',
      ({ token, webhookId }: Subscriber) => api.call('delete', `/webhooks/${webhookId}`, { token }),
    ],
  ])('200 shows an incident that was closed because the endpoint was %s', async (by, close) => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFF')
    await close(subscriber)
    const { status, body } = await list(subscriber)
    expect(status).toBe(200)
    expect(body.items).toMatchObject([{ closed_by: by, failed_attempts: 5 }])
    expect(body.items[0].closed_at).not.toBeNull()
  })

  test('404 for an endpoint of another organization', async () => {
    const [own, other] = [await makeSubscriber(api), await makeSubscriber(api)]
    const response = await list({ ...own, webhookId: other.webhookId })
    expect(refusalOf(response)).toEqual(notFound)
  })

  test.each(['limit=0', 'limit=101', 'cursor=AAAA', 'state=open'])('422 for %s', async (query) => {
    const subscriber = await makeSubscriber(api)
    expect(refusalOf(await list(subscriber, `?${query}`))).toMatchObject({
      status: 422,
      code: 'validation_failed',
    })
  })
})
