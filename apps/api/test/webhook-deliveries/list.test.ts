import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, lastFailure, makeAttempts } from '../support/attempts.ts'
import { idsOf, makeSubscriber, testDeliveryList } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook, url } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: '/webhook-deliveries' } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)
testDeliveryList(api, (_webhookId, query) => `/webhook-deliveries?${query}`)

describe('GET /webhook-deliveries', () => {
  test('200 of an organization without deliveries is an empty list', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const { body } = await api.call('get', '/webhook-deliveries', { token })
    expect(body).toEqual({ items: [], next_cursor: null })
  })

  test('200 lists the deliveries of all endpoints of the organization, and of no other', async () => {
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

describe('GET /webhook-deliveries: filter webhook_id', () => {
  test('returns the deliveries of that endpoint', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    await makeWebhook(api, token)
    await publish(api, tenant.id)
    const path = `/webhook-deliveries?webhook_id=${webhookId}`
    const { body } = await api.call('get', path, { token })
    expect(body.items).toMatchObject([{ webhook_id: webhookId }])
  })

  test("returns an empty list for a missing endpoint and for another organization's", async () => {
    const { token } = await makeSubscriber(api)
    const stranger = await makeSubscriber(api)
    await publish(api, stranger.tenant.id)
    for (const id of [randomUUID(), stranger.webhookId]) {
      const { body } = await api.call('get', `/webhook-deliveries?webhook_id=${id}`, { token })
      expect(body).toEqual({ items: [], next_cursor: null })
    }
  })

  test('422 for an invalid id', async () => {
    const { token } = await makeSubscriber(api)
    const response = await api.call('get', '/webhook-deliveries?webhook_id=x', { token })
    expect(refusalOf(response)).toEqual(invalid('/webhook_id'))
  })
})

describe('GET /webhook-deliveries: filter q', () => {
  const listOf = async (token: string, query: string) => {
    const { status, body } = await api.call('get', `/webhook-deliveries?${query}`, { token })
    expect(status).toBe(200)
    return idsOf(body.items)
  }

  test('finds a delivery by its id', async () => {
    const { token, tenant } = await makeSubscriber(api)
    const [id] = (await publish(api, tenant.id)).deliveryIds
    await publish(api, tenant.id)
    expect(await listOf(token, `q=${id}`)).toEqual([id])
    expect(await listOf(token, `q=${id!.toUpperCase()}`)).toEqual([id])
  })

  test('finds every delivery of an event by its generated or given id', async () => {
    const { token, tenant } = await makeSubscriber(api)
    await makeWebhook(api, token)
    for (const members of [{}, { id: randomUUID() }]) {
      const { id, deliveryIds } = await publish(api, tenant.id, members)
      const path = `/webhook-deliveries/${deliveryIds[0]}/redeliver`
      const again = (await api.call('post', path, { token })).body.delivery.id as string
      const expected = [...deliveryIds, again].toSorted().toReversed()
      expect(await listOf(token, `q=${id}`)).toEqual(expected)
    }
  })

  test('combines with the other filters', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    const other = await makeWebhook(api, token)
    const { id, deliveryIds } = await publish(api, tenant.id)
    const [byWebhook] = await listOf(token, `q=${id}&webhook_id=${webhookId}`)
    expect(deliveryIds).toContain(byWebhook)
    expect(await listOf(token, `q=${byWebhook}&webhook_id=${other.id}`)).toEqual([])
    expect(await listOf(token, `q=${id}&status=queued`)).toHaveLength(2)
    expect(await listOf(token, `q=${id}&status=dead`)).toEqual([])
    expect(await listOf(token, `q=${id}&event_type=dns.zone_created`)).toEqual([])
  })

  test("returns an empty list for an unknown id and for another organization's", async () => {
    const { token } = await makeSubscriber(api)
    const stranger = await makeSubscriber(api)
    const { id, deliveryIds } = await publish(api, stranger.tenant.id)
    for (const each of [randomUUID(), id, deliveryIds[0]]) {
      expect(await listOf(token, `q=${each}`)).toEqual([])
    }
  })

  test.each(['', 'x'.repeat(101)])(
    '422 for %j, which is not 1 to 100 characters long',
    async (q) => {
      const { token } = await makeSubscriber(api)
      const response = await api.call('get', `/webhook-deliveries?q=${q}`, { token })
      expect(refusalOf(response)).toEqual(invalid('/q'))
    },
  )
})

describe('GET /webhook-deliveries: record', () => {
  test('names the endpoint, and shows the last attempt of each delivery', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    const [tried, fresh] = [
      (await publish(api, tenant.id)).deliveryIds[0]!,
      (await publish(api, tenant.id)).deliveryIds[0]!,
    ]
    const attemptIds = await makeAttempts(api, tried, [failure, lastFailure])
    const webhook = { id: webhookId, url, description: null }
    const list = async () =>
      (await api.call('get', '/webhook-deliveries', { token })).body.items as { id: string }[]
    const find = async (id: string) => (await list()).find((item) => item.id === id)
    expect(await find(fresh)).toMatchObject({
      webhook: { ...webhook, deleted: false },
      last_attempt: null,
    })
    expect(await find(tried)).toMatchObject({
      last_attempt: { id: attemptIds[1], number: 2, status_code: null, error_class: 'timeout' },
    })
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    expect(await find(tried)).toMatchObject({ webhook: { ...webhook, deleted: true } })
  })
})
