import { verifyWebhook } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import type { TestListener } from '../../../../test/support/listener.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { lastFailure, makeAttempts, success } from '../support/attempts.ts'
import { makeSubscriber } from '../support/delivery-list.ts'
import { buildEvent, countEventRows, publish } from '../support/events.ts'
import { api, begin } from '../support/listeners.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

/** Another process of the same installation. */
const other = useApi()

const path = '/webhooks/listen/replay'
const request = { verb: 'post', path, body: { status: 'dead' } } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

const replay = (token: string, body: unknown) => api.call('post', path, { token, body })

const nextIds = async (stream: TestListener) => {
  const { headers, body } = await stream.next()
  const { id } = JSON.parse(body) as { id: string }
  return [id, headers['Service-Delivery']]
}

describe('POST /webhooks/listen/replay', () => {
  test('202 sends deliveries in the given order, with their ids and bytes, signed by the stream, on any process', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const [first, second] = [await publish(api, tenant.id), await publish(api, tenant.id)]
    const streams = [await begin(token), await begin(token, other)]
    const ids = [second.deliveryIds[0]!, first.deliveryIds[0]!.toUpperCase()]
    const { status, body } = await replay(token, { delivery_ids: ids })
    expect({ status, body }).toEqual({ status: 202, body: { deliveries: 2 } })
    const shown = `/webhook-deliveries/${second.deliveryIds[0]}`
    const { payload } = (await api.call('get', shown, { token })).body.delivery
    for (const stream of streams) {
      const { headers, body: sent } = await stream.next()
      expect(JSON.parse(sent)).toEqual(payload)
      expect(headers).toMatchObject({
        'Service-Event': 'site.created',
        'Service-Delivery': second.deliveryIds[0],
      })
      const signature = headers['Service-Signature']
      await expect(verifyWebhook(sent, signature, stream.secret)).resolves.toBeTruthy()
      expect(await nextIds(stream)).toEqual([first.id, first.deliveryIds[0]])
    }
  })

  test('an event is sent once, with the id of its newest delivery, or a new one if it has none', async () => {
    const { tenant, token } = await api.makeAdmin()
    const stream = await begin(token)
    const unsent = await publish(api, tenant.id)
    await stream.next()
    const subscriber = await makeSubscriber(api)
    const own = await begin(subscriber.token)
    const sent = await publish(api, subscriber.tenant.id, { id: randomUUID() })
    await own.next()
    const again = `/webhook-deliveries/${sent.deliveryIds[0]}/redeliver`
    const { delivery } = (await api.call('post', again, { token: subscriber.token })).body
    const { body } = await replay(subscriber.token, { event_ids: [sent.id] })
    expect(body).toEqual({ deliveries: 1 })
    expect(await nextIds(own)).toEqual([sent.id, delivery.id])
    expect((await replay(token, { event_ids: [unsent.id] })).body).toEqual({ deliveries: 1 })
    expect(await nextIds(stream)).toEqual([unsent.id, expect.stringMatching(/^[0-9a-f-]{36}$/)])
    const filtered = { event_ids: [unsent.id], status: 'dead' }
    expect((await replay(token, filtered)).body).toEqual({ deliveries: 0 })
  })

  test('since and status choose, oldest first, also among named deliveries', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const events = []
    for (const outcome of [lastFailure, success, lastFailure]) {
      const event = await publish(api, tenant.id)
      await makeAttempts(api, event.deliveryIds[0]!, [outcome])
      events.push(event)
    }
    const stream = await begin(token)
    const since = new Date(Date.now() - 60_000).toISOString()
    expect((await replay(token, { since, status: 'dead' })).body).toEqual({ deliveries: 2 })
    expect(await nextIds(stream)).toEqual([events[0]!.id, events[0]!.deliveryIds[0]])
    expect(await nextIds(stream)).toEqual([events[2]!.id, events[2]!.deliveryIds[0]])
    expect((await replay(token, { since })).body).toEqual({ deliveries: 3 })
    const later = new Date(Date.now() + 60_000).toISOString()
    expect((await replay(token, { since: later })).body).toEqual({ deliveries: 0 })
    const delivery_ids = events.map(({ deliveryIds }) => deliveryIds[0])
    const named = await replay(token, { delivery_ids, status: 'succeeded' })
    expect(named.body).toEqual({ deliveries: 1 })
  })

  test('of more than 1,000 deliveries, the newest 1,000 are sent', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const oldest = await publish(api, tenant.id)
    const events = Array.from({ length: 1_000 }, () => buildEvent(tenant.id))
    const { body } = await api.callInternal('post', '/events', { events })
    const stream = await begin(token)
    expect((await replay(token, { status: 'queued' })).body).toEqual({ deliveries: 1_000 })
    const got: string[] = []
    while (got.length < 1_000) got.push((await nextIds(stream))[0]!)
    expect(new Set(got)).toEqual(new Set(body.items.map(({ id }: { id: string }) => id)))
    expect(got).not.toContain(oldest.id)
  })

  test('no endpoint, other stream, attempt, count or audit entry changes', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const colleague = await tenant.makeKey()
    const { id, deliveryIds } = await publish(api, tenant.id)
    const [own, others] = [await begin(token), await begin(colleague.token)]
    const before = await countEventRows(api, tenant.id)
    const audited = (await auditOf(api, tenant.id)).length
    await replay(token, { delivery_ids: deliveryIds })
    expect(await nextIds(own)).toEqual([id, deliveryIds[0]])
    const marker = await publish(api, tenant.id)
    expect((await nextIds(others))[0]).toBe(marker.id)
    expect(await countEventRows(api, tenant.id)).toEqual({
      ...before,
      events: before['events']! + 1,
      deliveries: before['deliveries']! + 1,
      pending_deliveries: before['pending_deliveries']! + 1,
    })
    expect(await auditOf(api, tenant.id)).toHaveLength(audited)
  })

  test('409 conflict if the caller has no open stream', async () => {
    const { token } = await makeSubscriber(api)
    expect(refusalOf(await replay(token, { status: 'dead' }))).toEqual({
      status: 409,
      code: 'conflict',
    })
  })

  test('422 for ids that are not of the organization, and nothing is sent', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const stranger = await makeSubscriber(api)
    const theirs = await publish(api, stranger.tenant.id)
    const mine = await publish(api, tenant.id)
    const stream = await begin(token)
    const body = {
      delivery_ids: [mine.deliveryIds[0], theirs.deliveryIds[0]],
      event_ids: [mine.id, theirs.id, randomUUID()],
    }
    expect(refusalOf(await replay(token, body))).toEqual(
      invalid('/delivery_ids/1', '/event_ids/1', '/event_ids/2'),
    )
    const marker = await publish(api, tenant.id)
    expect((await nextIds(stream))[0]).toBe(marker.id)
  })

  test.each([
    [{}, ''],
    [{ delivery_ids: [] }, '/delivery_ids'],
    [{ delivery_ids: Array.from({ length: 101 }, () => randomUUID()) }, '/delivery_ids'],
    [{ event_ids: ['x'] }, '/event_ids/0'],
    [{ status: 'failed' }, '/status'],
    [{ since: 'yesterday' }, '/since'],
    [{ until: new Date().toISOString() }, '/until'],
  ])('422 for %j', async (body, pointer) => {
    const { token } = await makeSubscriber(api)
    expect(refusalOf(await replay(token, body))).toEqual(invalid(pointer))
  })
})
