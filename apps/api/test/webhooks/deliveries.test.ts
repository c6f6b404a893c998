import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { idsOf, makeSubscriber, testDeliveryList } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: `/webhooks/${randomUUID()}/deliveries` } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)
testDeliveryList(api, (webhookId, query) => `/webhooks/${webhookId}/deliveries?${query}`)

describe('GET /webhooks/{id}/deliveries', () => {
  test('200 returns an empty list for an endpoint without deliveries', async () => {
    const { token, webhookId } = await makeSubscriber(api)
    const { body } = await api.call('get', `/webhooks/${webhookId}/deliveries`, { token })
    expect(body).toEqual({ items: [], next_cursor: null })
  })

  test('200 lists only the deliveries of this endpoint', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    const other = await makeWebhook(api, token)
    const { deliveryIds } = await publish(api, tenant.id)
    const lists = await Promise.all(
      [webhookId, other.id].map((id) => api.call('get', `/webhooks/${id}/deliveries`, { token })),
    )
    expect(lists.map(({ body }) => body.items[0].webhook_id)).toEqual([webhookId, other.id])
    expect(lists.flatMap(({ body }) => idsOf(body.items)).toSorted()).toEqual(
      deliveryIds.toSorted(),
    )
  })

  test('the history of a deleted endpoint stays readable', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    const { deliveryIds } = await publish(api, tenant.id)
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    const { status, body } = await api.call('get', `/webhooks/${webhookId}/deliveries`, { token })
    expect(status).toBe(200)
    expect(body.items).toMatchObject([{ id: deliveryIds[0], status: 'dead' }])
  })
})

describe('GET /webhooks/{id}/deliveries: errors', () => {
  test("404 is the same for a missing endpoint, another organization's endpoint and an invalid id", async () => {
    const { token } = await makeSubscriber(api)
    const foreign = await makeSubscriber(api)
    await api.call('delete', `/webhooks/${foreign.webhookId}`, { token: foreign.token })
    const alive = await makeSubscriber(api)
    for (const id of [randomUUID(), foreign.webhookId, alive.webhookId, 'nonsense']) {
      const response = await api.call('get', `/webhooks/${id}/deliveries`, { token })
      expect(refusalOf(response)).toEqual(notFound)
    }
  })

  test('422 for webhook_id, because the path contains the id', async () => {
    const { token, webhookId } = await makeSubscriber(api)
    const path = `/webhooks/${webhookId}/deliveries?webhook_id=${webhookId}`
    expect(refusalOf(await api.call('get', path, { token }))).toEqual(invalid('/webhook_id'))
  })
})
