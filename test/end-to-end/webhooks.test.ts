import { describe, expect, test } from '@jest/globals'
import { siteData } from '../support/events.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/stack.ts'
import {
  stack,
  subscribe,
  publish,
  listDeliveries,
  endedDelivery,
  post,
  makeSubscriber,
  redeliver,
  verify,
  idsOf,
} from '../support/webhook-subscriber.ts'

describe('a ping', () => {
  test('arrives signed as webhook.ping, only at its endpoint', async () => {
    const { receiver: other, tenant, endpoint: all } = await makeSubscriber()
    const receiver = await startReceiver()
    const endpoint = await subscribe(tenant, receiver.url, ['dns.*'])
    const { delivery } = await post(endpoint.token, `/webhooks/${endpoint.id}/ping`)
    const request = await receiver.next()
    expect(await verify(request, endpoint.secret)).toEqual({
      id: delivery.event.id,
      type: 'webhook.ping',
      created_at: delivery.event.created_at,
      tenant_id: tenant.id,
      data: { object_type: 'webhook', object_id: endpoint.id },
    })
    expect(request.headers).toMatchObject({
      'service-event': 'webhook.ping',
      'service-delivery': delivery.id,
    })
    expect(await endedDelivery(endpoint)).toMatchObject({ id: delivery.id, status: 'succeeded' })

    const eventId = await publish(tenant)
    await other.next()
    expect(idsOf(other.requests)).toEqual([eventId])
    expect(await listDeliveries(all)).toHaveLength(1)
    expect(receiver.requests).toHaveLength(1)
    await Promise.all([receiver.close(), other.close()])
  })
})

describe('a redelivery', () => {
  test('of a successful delivery sends the same event and bytes with another delivery id', async () => {
    const { receiver, tenant, endpoint } = await makeSubscriber()
    const eventId = await publish(tenant)
    const first = await receiver.next()
    const before = await endedDelivery(endpoint)
    const againId = await redeliver(endpoint, before.id)
    const second = await receiver.next()
    expect(second.body.equals(first.body)).toBe(true)
    expect(await verify(second, endpoint.secret)).toMatchObject({ id: eventId })
    expect([first, second].map(({ headers }) => headers['service-delivery'])).toEqual([
      before.id,
      againId,
    ])
    expect(againId).not.toBe(before.id)
    expect(await endedDelivery(endpoint)).toMatchObject({
      id: againId,
      status: 'succeeded',
      attempt_count: 1,
      redelivery_of: before.id,
      event: { id: eventId },
    })
    const [, kept] = await listDeliveries(endpoint)
    expect(kept).toMatchObject({ id: before.id, status: 'succeeded', attempt_count: 1 })
    await receiver.close()
  })

  test('of a dead delivery has its own retries', async () => {
    let failuresLeft = 3
    const { receiver, tenant, endpoint } = await makeSubscriber(() => ({
      status: failuresLeft-- > 0 ? 503 : 200,
    }))
    await publish(tenant)
    const dead = await endedDelivery(endpoint)
    expect(dead).toMatchObject({ status: 'dead', attempt_count: 2 })
    const againId = await redeliver(endpoint, dead.id)
    const again = await endedDelivery(endpoint)
    expect(again).toMatchObject({ id: againId, status: 'succeeded', attempt_count: 2 })
    expect(again.attempts).toMatchObject([
      { number: 1, status_code: 503 },
      { number: 2, status_code: 200 },
    ])
    const { requests } = receiver
    expect(requests.map(({ headers }) => headers['service-delivery'])).toEqual([
      dead.id,
      dead.id,
      againId,
      againId,
    ])
    expect(new Set(requests.map(({ body }) => body.toString())).size).toBe(1)
    const [, kept] = await listDeliveries(endpoint)
    expect(kept).toMatchObject({ id: dead.id, status: 'dead', attempt_count: 2 })
    await receiver.close()
  })
})

describe('a recovery', () => {
  test('sends every dead delivery again once, and shows its progress', async () => {
    let status = 500
    const { receiver, tenant, endpoint } = await makeSubscriber(() => ({ status }))
    const { token, id } = endpoint
    const since = new Date().toISOString()
    const count = 60
    const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
    const events = Array.from({ length: count }, () => event)
    const published = await stack.api.callInternal('post', '/events', { events })
    const eventIds = published.body.items.map((item: { id: string }) => item.id) as string[]
    const countOf = async (what: string) => {
      const path = `/webhooks/${id}/deliveries?limit=100&status=${what}`
      return (await stack.api.call('get', path, { token })).body.items.length as number
    }
    await until(
      () => countOf('dead'),
      (dead) => dead === count,
    )
    status = 204
    const sentBefore = receiver.requests.length

    const { recovery } = await post(token, `/webhooks/${id}/recover`, { since })
    expect(recovery).toMatchObject({ total: count })
    const progress: number[] = []
    const ended = await until(
      async () => {
        const path = `/webhooks/${id}/recoveries/${recovery.id}`
        const shown = (await stack.api.call('get', path, { token })).body.recovery
        progress.push(shown.done)
        return shown
      },
      (shown) => shown.status !== 'running',
    )
    expect(ended).toEqual({ id: recovery.id, status: 'done', total: count, done: count })
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    await until(
      () => countOf('succeeded'),
      (succeeded) => succeeded === count,
    )
    expect(idsOf(receiver.requests.slice(sentBefore)).toSorted()).toEqual(eventIds.toSorted())
    expect(await countOf('dead')).toBe(count)
    await receiver.close()
  }, 80_000)
})
