import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'post', path: `/webhook-deliveries/${randomUUID()}/retry-now` } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const retryNow = ({ token }: Subscriber, id: string) =>
  api.call('post', `/webhook-deliveries/${id}/retry-now`, { token })

const deliver = async ({ tenant }: Subscriber, attempts: Parameters<typeof makeAttempts>[2]) => {
  const id = (await publish(api, tenant.id)).deliveryIds[0]!
  await makeAttempts(api, id, attempts)
  return id
}

describe('POST /webhook-deliveries/{id}/retry-now', () => {
  test('202 makes the next attempt due now', async () => {
    const subscriber = await makeSubscriber(api)
    const id = await deliver(subscriber, [failure])
    const { status, body } = await retryNow(subscriber, id)
    expect(status).toBe(202)
    const path = `/webhook-deliveries/${id}`
    expect(body).toEqual((await api.call('get', path, { token: subscriber.token })).body)
    expect(body.delivery).toMatchObject({ id, status: 'waiting_retry', attempt_count: 1 })
    expect(Date.parse(body.delivery.next_attempt_at)).toBeLessThanOrEqual(Date.now())
    expect((await retryNow(subscriber, id)).body).toEqual(body)
    expect((await auditOf(api, subscriber.tenant.id)).at(-1)).toMatchObject({
      action: 'webhook.retry_now',
      targetType: 'webhook',
      targetId: subscriber.webhookId,
      details: { delivery_id: id },
    })
  })

  test.each([
    ['queued', []],
    ['succeeded', [success]],
    ['dead', [lastFailure]],
  ])('409 conflict for a delivery that is %s', async (_status, attempts) => {
    const subscriber = await makeSubscriber(api)
    const response = await retryNow(subscriber, await deliver(subscriber, attempts))
    expect(refusalOf(response)).toEqual({ status: 409, code: 'conflict' })
  })

  test('409 conflict for a delivery that is being sent', async () => {
    const subscriber = await makeSubscriber(api)
    const id = await deliver(subscriber, [failure])
    await startAttempt(api, id, 2)
    const response = await retryNow(subscriber, id)
    expect(refusalOf(response)).toEqual({ status: 409, code: 'conflict' })
  })

  test.each([
    ['disabled', 'patch', { enabled: false }],
    ['deleted', 'delete', undefined],
  ] as const)('409 conflict while its endpoint is %s', async (_state, verb, body) => {
    const subscriber = await makeSubscriber(api)
    const id = await deliver(subscriber, [failure])
    const { token, webhookId } = subscriber
    await api.call(verb, `/webhooks/${webhookId}`, { token, body })
    const response = await retryNow(subscriber, id)
    expect(refusalOf(response)).toEqual({ status: 409, code: 'conflict' })
  })

  test('404 not_found for a delivery of another organization', async () => {
    const [owner, stranger] = [await makeSubscriber(api), await makeSubscriber(api)]
    const id = await deliver(owner, [failure])
    expect(refusalOf(await retryNow(stranger, id))).toEqual(notFound)
  })
})
