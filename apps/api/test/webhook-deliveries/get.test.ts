import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import {
  failure,
  lastFailure,
  makeAttempts,
  startAttempt,
  success,
  type MadeAttempt,
} from '../support/attempts.ts'
import { makeSubscriber } from '../support/delivery-list.ts'
import { leastData, publish } from '../support/events.ts'
import { expectSince } from '../support/moments.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { url } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: `/webhook-deliveries/${randomUUID()}` } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

const show = async (token: string, id: string) => {
  const { status, body } = await api.call('get', `/webhook-deliveries/${id}`, { token })
  expect(status).toBe(200)
  return body.delivery
}

async function makeDelivery(options: { enabled?: boolean } = {}) {
  const subscriber = await makeSubscriber(api, options)
  const { id: eventId, deliveryIds } = await publish(api, subscriber.tenant.id)
  return { ...subscriber, eventId, id: deliveryIds[0]! }
}

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('GET /webhook-deliveries/{id}: record', () => {
  test('200 shows a queued delivery with its exact envelope', async () => {
    const { token, tenant, webhookId } = await makeSubscriber(api)
    const created_at = '2026-03-01T12:00:00.250Z'
    const before = Date.now()
    const { id: eventId, deliveryIds } = await publish(api, tenant.id, { created_at })
    const delivery = await show(token, deliveryIds[0]!)
    expect(delivery).toEqual({
      id: deliveryIds[0],
      webhook_id: webhookId,
      event: {
        id: eventId,
        type: 'site.created',
        created_at,
        object_type: 'site',
        object_id: 'site-1',
        account_id: 'acc-1',
        name: 'a.example',
      },
      status: 'queued',
      attempt_count: 0,
      next_attempt_at: isoTime,
      created_at: isoTime,
      completed_at: null,
      redelivery_of: null,
      webhook: { id: webhookId, url, description: null, deleted: false },
      last_attempt: null,
      attempts: [],
      payload: {
        id: eventId,
        type: 'site.created',
        created_at,
        tenant_id: tenant.id,
        data: leastData['site.created'],
      },
    })
    expectSince(delivery.created_at, before)
  })

  test('the record matches those of the lists, plus attempts and payload', async () => {
    const { token, id } = await makeDelivery()
    const { attempts, payload, ...summary } = await show(token, id)
    expect({ attempts, payload }).toMatchObject({ attempts: [], payload: {} })
    const { body } = await api.call('get', '/webhook-deliveries', { token })
    expect(body.items).toEqual([summary])
  })

  test('in_flight: an attempt is in progress', async () => {
    const { token, id } = await makeDelivery()
    await startAttempt(api, id, 1)
    expect(await show(token, id)).toMatchObject({
      status: 'in_flight',
      attempt_count: 0,
      next_attempt_at: null,
      completed_at: null,
      attempts: [],
    })
  })

  test('a delivery shows its previous status if the worker of its attempt died', async () => {
    const { token, id } = await makeDelivery()
    const endLease = () =>
      api.database.pool.query(
        `UPDATE pending_deliveries SET held_until = now() - interval '1 ms' WHERE delivery_id = $1`,
        [id],
      )
    await startAttempt(api, id, 1)
    await endLease()
    expect(await show(token, id)).toMatchObject({ status: 'queued', next_attempt_at: isoTime })
    await makeAttempts(api, id, [failure])
    await startAttempt(api, id, 2)
    await endLease()
    expect(await show(token, id)).toMatchObject({ status: 'waiting_retry', attempt_count: 1 })
  })

  test('waiting_retry: the next attempt is due after the delay', async () => {
    const { token, id } = await makeDelivery()
    const before = Date.now()
    await makeAttempts(api, id, [failure])
    const delivery = await show(token, id)
    expect(delivery).toMatchObject({
      status: 'waiting_retry',
      attempt_count: 1,
      completed_at: null,
      attempts: [{ number: 1 }],
    })
    const dueAfter = Date.parse(delivery.next_attempt_at) - 60_000
    expectSince(new Date(dueAfter).toISOString(), before)
  })

  test('waiting_endpoint: the endpoint is disabled, so no attempt is due', async () => {
    const { token, id } = await makeDelivery({ enabled: false })
    expect(await show(token, id)).toMatchObject({
      status: 'waiting_endpoint',
      next_attempt_at: null,
      completed_at: null,
    })
  })

  test('in_flight even if the endpoint was disabled during the attempt', async () => {
    const { token, id, webhookId } = await makeDelivery()
    await startAttempt(api, id, 1)
    await api.call('patch', `/webhooks/${webhookId}`, { token, body: { enabled: false } })
    expect(await show(token, id)).toMatchObject({ status: 'in_flight' })
  })

  test.each([
    ['succeeded', success],
    ['dead', lastFailure],
  ])('%s: the delivery is complete', async (status, last) => {
    const { token, id } = await makeDelivery()
    const before = Date.now()
    await makeAttempts(api, id, [failure, last])
    const delivery = await show(token, id)
    expect(delivery).toMatchObject({ status, attempt_count: 2, next_attempt_at: null })
    expectSince(delivery.completed_at, before)
  })

  test('a complete delivery does not change when its endpoint is disabled', async () => {
    const { token, id, webhookId } = await makeDelivery()
    await makeAttempts(api, id, [success])
    await api.call('patch', `/webhooks/${webhookId}`, { token, body: { enabled: false } })
    expect(await show(token, id)).toMatchObject({ status: 'succeeded' })
  })

  test('a delivery stays readable after its endpoint is deleted', async () => {
    const { token, id, webhookId } = await makeDelivery()
    await makeAttempts(api, id, [failure, success])
    const before = await show(token, id)
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    expect(before.webhook).toMatchObject({ id: webhookId, deleted: false })
    expect(await show(token, id)).toEqual({
      ...before,
      webhook: { ...before.webhook, deleted: true },
    })
  })
})

describe('GET /webhook-deliveries/{id}: attempts', () => {
  test('are listed in order, each with its status code or error class', async () => {
    const { token, id } = await makeDelivery()
    const waiting = failure.nextStep
    const made: MadeAttempt[] = [
      { outcome: { statusCode: null, errorClass: 'dns_error' }, nextStep: waiting },
      { outcome: { statusCode: 301, errorClass: 'redirect' }, nextStep: waiting },
      { outcome: { statusCode: 503, errorClass: 'http_error' }, nextStep: waiting },
      { outcome: { statusCode: null, errorClass: 'timeout' }, nextStep: waiting },
      { outcome: { statusCode: null, errorClass: 'address_not_public' }, nextStep: waiting },
      { outcome: { statusCode: null, errorClass: 'tls_error' }, nextStep: waiting },
      { outcome: { statusCode: 500, errorClass: 'http_error' }, nextStep: { status: 'dead' } },
    ]
    const startedAt = (index: number) => new Date(Date.UTC(2026, 4, 1, 10, index))
    const ids = await makeAttempts(
      api,
      id,
      made.map((attempt, index) => ({
        ...attempt,
        startedAt: startedAt(index),
        durationMs: index,
      })),
    )
    const delivery = await show(token, id)
    expect(delivery.attempts).toEqual(
      made.map(({ outcome }, index) => ({
        id: ids[index],
        number: index + 1,
        started_at: startedAt(index).toISOString(),
        duration_ms: index,
        status_code: outcome.statusCode,
        error_class: outcome.errorClass,
      })),
    )
    expect(delivery).toMatchObject({ status: 'dead', attempt_count: 7 })
  })

  test('the last one is last_attempt, even while the next one is in flight', async () => {
    const { token, id } = await makeDelivery()
    await makeAttempts(api, id, [failure, failure])
    await startAttempt(api, id, 3)
    const delivery = await show(token, id)
    expect(delivery.status).toBe('in_flight')
    expect(delivery.last_attempt).toEqual(delivery.attempts[1])
    expect(delivery.last_attempt).toMatchObject({ number: 2, error_class: 'http_error' })
  })

  test('a successful attempt has a status code and no error class', async () => {
    const { token, id } = await makeDelivery()
    await makeAttempts(api, id, [success])
    expect((await show(token, id)).attempts).toMatchObject([
      { number: 1, status_code: 204, error_class: null },
    ])
  })

  test('each delivery shows only its own attempts', async () => {
    const { token, tenant, id } = await makeDelivery()
    const other = (await publish(api, tenant.id)).deliveryIds[0]!
    await makeAttempts(api, other, [failure])
    expect((await show(token, id)).attempts).toEqual([])
  })
})

describe('GET /webhook-deliveries/{id}: not found', () => {
  test("404 is the same for a missing delivery, another organization's delivery and an invalid id", async () => {
    const { token } = await makeSubscriber(api)
    const foreign = await makeDelivery()
    for (const id of [randomUUID(), foreign.id, foreign.eventId, 'nonsense']) {
      const response = await api.call('get', `/webhook-deliveries/${id}`, { token })
      expect(refusalOf(response)).toEqual(notFound)
    }
  })
})
