import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { idsOf, makeSubscriber, testDeliveryList } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: '/webhook-deliveries' } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)
testDeliveryList(api, (_webhookId, query) => `/webhook-deliveries?${query}`)

describe('success', () => {
  test('200 of an organization without deliveries is an empty list', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const { body } = await api.call('get', '/webhook-deliveries', { token })
    expect(body).toEqual({ items: [], next_cursor: null })
  })

  test("200 lists the deliveries of all the organization's endpoints, and of no other's", async () => {
    const { token, tenant } = await makeSubscriber(api)
    await makeWebhook(api, token)
    const stranger = await makeSubscriber(api)
    const { deliveryIds } = await publish(api, tenant.id)
    const { body } = await api.call('get', '/webhook-deliveries', { token })
    expect(idsOf(body.items)).toEqual(deliveryIds)
    expect(deliveryIds).toHaveLength(2)
    const foreign = await api.call('get', '/webhook-deliveries', { token: stranger.token })
    expect(foreign.body.items).toEqual([])
  })

  test('deliveries of a deleted endpoint stay listed', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    const { deliveryIds } = await publish(api, tenant.id)
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    const { body } = await api.call('get', '/webhook-deliveries', { token })
    expect(body.items).toMatchObject([{ id: deliveryIds[0], status: 'dead' }])
  })
})

describe('the filter webhook_id', () => {
  test('gives the deliveries of that endpoint', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    await makeWebhook(api, token)
    await publish(api, tenant.id)
    const path = `/webhook-deliveries?webhook_id=${webhookId}`
    const { body } = await api.call('get', path, { token })
    expect(body.items).toMatchObject([{ webhook_id: webhookId }])
  })

  test("gives an empty list for a missing endpoint and another organization's alike", async () => {
    const { token } = await makeSubscriber(api)
    const stranger = await makeSubscriber(api)
    await publish(api, stranger.tenant.id)
    for (const id of [randomUUID(), stranger.webhookId]) {
      const { body } = await api.call('get', `/webhook-deliveries?webhook_id=${id}`, { token })
      expect(body).toEqual({ items: [], next_cursor: null })
    }
  })

  test('422 for what is no id', async () => {
    const { token } = await makeSubscriber(api)
    const response = await api.call('get', '/webhook-deliveries?webhook_id=x', { token })
    expect(refusalOf(response)).toEqual(invalid('/webhook_id'))
  })
})
