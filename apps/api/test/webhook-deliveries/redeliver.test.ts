import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { idsOf, makeSubscriber } from '../support/delivery-list.ts'
import { countEventRows, publish } from '../support/events.ts'
import { expectSince } from '../support/moments.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook, url } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'post', path: `/webhook-deliveries/${randomUUID()}/redeliver` } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

async function makeDelivery(options: { enabled?: boolean } = {}) {
  const subscriber = await makeSubscriber(api, options)
  const { id: eventId, deliveryIds } = await publish(api, subscriber.tenant.id)
  return { ...subscriber, eventId, id: deliveryIds[0]! }
}

const redeliver = (token: string, id: string, headers: Record<string, string> = {}) =>
  api.call('post', `/webhook-deliveries/${id}/redeliver`, { token, headers })

const show = async (token: string, id: string) =>
  (await api.call('get', `/webhook-deliveries/${id}`, { token })).body.delivery

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('POST /webhook-deliveries/{id}/redeliver', () => {
  test.each<[status: string, prepare: (id: string) => Promise<unknown>]>([
    ['queued', () => Promise.resolve()],
    ['in_flight', (id) => startAttempt(api, id, 1)],
    ['waiting_retry', (id) => makeAttempts(api, id, [failure, failure])],
    ['succeeded', (id) => makeAttempts(api, id, [failure, success])],
    ['dead', (id) => makeAttempts(api, id, [failure, lastFailure])],
  ])(
    '202 creates a new delivery of the same event of one that is %s, which stays as it is',
    async (status, prepare) => {
      const { token, webhookId, id, eventId } = await makeDelivery()
      await prepare(id)
      const before = await show(token, id)
      expect(before.status).toBe(status)
      const beforeMs = Date.now()
      const response = await redeliver(token, id)
      expect(response.status).toBe(202)
      const { delivery } = response.body
      expect(response.body).toEqual({
        delivery: {
          id: expect.any(String),
          webhook_id: webhookId,
          event: before.event,
          status: 'queued',
          attempt_count: 0,
          next_attempt_at: isoTime,
          created_at: isoTime,
          completed_at: null,
          redelivery_of: id,
          webhook: { id: webhookId, url, description: null, deleted: false },
          last_attempt: null,
          attempts: [],
          payload: before.payload,
        },
      })
      expect(delivery.id).not.toBe(id)
      expect(delivery.event.id).toBe(eventId)
      expectSince(delivery.created_at, beforeMs)
      const shown = await show(token, delivery.id)
      expect({ ...shown, next_attempt_at: delivery.next_attempt_at }).toEqual(delivery)
      expect(await show(token, id)).toEqual(before)
    },
  )

  test('the new delivery has its own retries', async () => {
    const { token, id } = await makeDelivery()
    await makeAttempts(api, id, [failure, failure, lastFailure])
    const { delivery } = (await redeliver(token, id)).body
    await makeAttempts(api, delivery.id, [failure, success])
    const again = await show(token, delivery.id)
    expect(again).toMatchObject({ status: 'succeeded', attempt_count: 2 })
    expect(again.attempts).toMatchObject([{ number: 1 }, { number: 2 }])
    const before = await show(token, id)
    expect(before).toMatchObject({ status: 'dead', attempt_count: 3 })
    expect(before.attempts).toHaveLength(3)
  })

  test('a redelivery can be redelivered, and names the delivery that it repeats', async () => {
    const { token, id, eventId } = await makeDelivery()
    const second = (await redeliver(token, id)).body.delivery
    const third = (await redeliver(token, second.id)).body.delivery
    expect(third).toMatchObject({ redelivery_of: second.id, event: { id: eventId } })
  })

  test('a ping can be redelivered', async () => {
    const { token, webhookId } = await makeSubscriber(api)
    const ping = (await api.call('post', `/webhooks/${webhookId}/ping`, { token })).body.delivery
    const { delivery } = (await redeliver(token, ping.id)).body
    expect(delivery).toMatchObject({ event: ping.event, payload: ping.payload })
  })

  test('no event is created, and no other endpoint gets the delivery', async () => {
    const { token, tenant, id, webhookId } = await makeDelivery()
    await makeWebhook(api, token)
    await redeliver(token, id)
    expect(await countEventRows(api, tenant.id)).toMatchObject({
      events: 1,
      deliveries: 2,
      pending_deliveries: 2,
    })
    const path = `/webhook-deliveries?webhook_id=${webhookId}`
    expect((await api.call('get', path, { token })).body.items).toHaveLength(2)
  })

  test('a redelivery to a disabled endpoint waits until the endpoint is enabled', async () => {
    const { token, id, webhookId } = await makeDelivery()
    await makeAttempts(api, id, [lastFailure])
    const path = `/webhooks/${webhookId}`
    await api.call('patch', path, { token, body: { enabled: false } })
    const { status, body } = await redeliver(token, id)
    expect(status).toBe(202)
    const waiting = { status: 'waiting_endpoint', next_attempt_at: null, redelivery_of: id }
    expect(body.delivery).toMatchObject(waiting)
    expect(await show(token, body.delivery.id)).toEqual(body.delivery)
    const { webhook } = (await api.call('get', path, { token })).body
    expect(webhook.waiting_deliveries).toBe(1)
    await api.call('patch', path, { token, body: { enabled: true } })
    expect(await show(token, body.delivery.id)).toMatchObject({ status: 'queued' })
  })

  test('each of several concurrent redeliveries creates a delivery', async () => {
    const { token, tenant, id } = await makeDelivery()
    // More than the process has connections: no request waits for a second one.
    const responses = await Promise.all(Array.from({ length: 20 }, () => redeliver(token, id)))
    expect(new Set(idsOf(responses.map(({ body }) => body.delivery))).size).toBe(20)
    expect(await countEventRows(api, tenant.id)).toMatchObject({ events: 1, deliveries: 21 })
  })

  test('the id is case-insensitive, and returned in lower case', async () => {
    const { token, tenant, id } = await makeDelivery()
    const { status, body } = await redeliver(token, id.toUpperCase())
    expect(status).toBe(202)
    expect(body.delivery.redelivery_of).toBe(id)
    expect((await auditOf(api, tenant.id)).at(-1)).toMatchObject({ targetId: id })
  })

  test('the audit log shows who redelivered which delivery, and the new delivery', async () => {
    const { tenant, admin: key } = await api.makeAdmin()
    await makeWebhook(api, key.token)
    const id = (await publish(api, tenant.id)).deliveryIds[0]!
    const response = await redeliver(key.token, id)
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual([
      expect.objectContaining({
        action: 'webhook.redeliver',
        outcome: 'success',
        actorId: key.userId,
        actorKeyId: key.id,
        targetType: 'delivery',
        targetId: id,
        requestId: response.headers['x-request-id'],
        details: { delivery_id: response.body.delivery.id },
      }),
    ])
  })
})

describe('POST /webhook-deliveries/{id}/redeliver: Idempotency-Key', () => {
  test('a repetition returns the same delivery and creates nothing', async () => {
    const { token, tenant, id } = await makeDelivery()
    const headers = { 'idempotency-key': 'once' }
    const first = await redeliver(token, id, headers)
    const again = await redeliver(token, id, headers)
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' })
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(await countEventRows(api, tenant.id)).toMatchObject({ deliveries: 2 })
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
  })

  test('concurrent identical requests create one delivery', async () => {
    const { token, tenant, id } = await makeDelivery()
    const headers = { 'idempotency-key': 'once' }
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => redeliver(token, id, headers)),
    )
    for (const { status } of responses) expect([202, 409]).toContain(status)
    expect(await countEventRows(api, tenant.id)).toMatchObject({ deliveries: 2 })
  })
})

describe('POST /webhook-deliveries/{id}/redeliver: errors', () => {
  test('409 conflict if the endpoint is deleted, and no delivery is created', async () => {
    const { token, tenant, id, webhookId } = await makeDelivery()
    await makeAttempts(api, id, [lastFailure])
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    const response = await redeliver(token, id)
    expect(refusalOf(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.detail).toContain('deleted')
    expect(await countEventRows(api, tenant.id)).toMatchObject({
      deliveries: 1,
      pending_deliveries: 0,
    })
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
  })

  test.each<[body: unknown, pointer: string]>([
    [{ webhook_id: randomUUID() }, '/webhook_id'],
    [{ force: true }, '/force'],
    [[], ''],
    ['null', ''],
  ])(
    '422 validation_failed for the body %j names %j, and nothing is made',
    async (body, pointer) => {
      const { token, tenant, id } = await makeDelivery()
      const headers = { 'content-type': 'application/json' }
      const path = `/webhook-deliveries/${id}/redeliver`
      const response = await api.call('post', path, { token, body, headers })
      expect(refusalOf(response)).toEqual(invalid(pointer))
      expect(await countEventRows(api, tenant.id)).toMatchObject({ deliveries: 1 })
      expect(await auditOf(api, tenant.id)).toHaveLength(1)
    },
  )

  test("404 is the same for a missing delivery, another organization's delivery, an event's id and an invalid id", async () => {
    const { token, tenant, eventId } = await makeDelivery()
    const foreign = await makeDelivery()
    const orphan = await makeDelivery()
    await api.call('delete', `/webhooks/${orphan.webhookId}`, { token: orphan.token })
    for (const id of [randomUUID(), foreign.id, orphan.id, eventId, 'nonsense']) {
      expect(refusalOf(await redeliver(token, id))).toEqual(notFound)
    }
    expect(await countEventRows(api, tenant.id)).toMatchObject({ deliveries: 1 })
    expect(await countEventRows(api, foreign.tenant.id)).toMatchObject({ deliveries: 1 })
    expect(await auditOf(api, tenant.id)).toHaveLength(1)
    expect(await auditOf(api, foreign.tenant.id)).toHaveLength(1)
  })
})
