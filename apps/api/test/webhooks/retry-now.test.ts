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
const request = { verb: 'post', path: `/webhooks/${randomUUID()}/retry-now` } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const retryNow = ({ token, webhookId }: Subscriber) =>
  api.call('post', `/webhooks/${webhookId}/retry-now`, { token })

/** Publishes an event, and makes attempts of its delivery; gives the id of the delivery. */
async function deliver({ tenant }: Subscriber, attempts: Parameters<typeof makeAttempts>[2]) {
  const id = (await publish(api, tenant.id)).deliveryIds[0]!
  await makeAttempts(api, id, attempts)
  return id
}

const deliveryOf = async ({ token }: Subscriber, id: string) =>
  (await api.call('get', `/webhook-deliveries/${id}`, { token })).body.delivery

describe('POST /webhooks/{id}/retry-now', () => {
  test('202 makes every waiting retry due now, and no other delivery', async () => {
    const subscriber = await makeSubscriber(api)
    const retries = [
      await deliver(subscriber, [failure]),
      await deliver(subscriber, [failure, failure]),
    ]
    const [queued, sent, dead, running] = [
      await deliver(subscriber, []),
      await deliver(subscriber, [success]),
      await deliver(subscriber, [lastFailure]),
      await deliver(subscriber, [failure]),
    ]
    await startAttempt(api, running, 2)
    const others = [queued, sent, dead, running]
    const before = await Promise.all(others.map((id) => deliveryOf(subscriber, id)))
    const { status, body } = await retryNow(subscriber)
    expect({ status, body }).toEqual({ status: 202, body: { deliveries: 2 } })
    for (const [index, id] of retries.entries()) {
      const delivery = await deliveryOf(subscriber, id)
      expect(delivery).toMatchObject({ status: 'waiting_retry', attempt_count: index + 1 })
      expect(Date.parse(delivery.next_attempt_at)).toBeLessThanOrEqual(Date.now())
    }
    expect(await Promise.all(others.map((id) => deliveryOf(subscriber, id)))).toEqual(before)
    expect((await auditOf(api, subscriber.tenant.id)).at(-1)).toMatchObject({
      action: 'webhook.retry_now',
      targetType: 'webhook',
      targetId: subscriber.webhookId,
      details: { deliveries: 2 },
    })
  })

  test('202 counts each delivery once over concurrent requests', async () => {
    const subscriber = await makeSubscriber(api)
    for (let each = 0; each < 10; each += 1) await deliver(subscriber, [failure])
    const responses = await Promise.all(Array.from({ length: 8 }, () => retryNow(subscriber)))
    const counts = responses.map(({ body }) => (body as { deliveries: number }).deliveries)
    expect(counts.reduce((sum, count) => sum + count)).toBe(10)
  })

  test('409 webhook_disabled for a disabled endpoint, whose deliveries keep their times', async () => {
    const subscriber = await makeSubscriber(api)
    const id = await deliver(subscriber, [failure])
    const path = `/webhooks/${subscriber.webhookId}`
    await api.call('patch', path, { token: subscriber.token, body: { enabled: false } })
    const refused = await retryNow(subscriber)
    expect(refusalOf(refused)).toEqual({ status: 409, code: 'webhook_disabled' })
    expect(refused.body.detail).toBe('The webhook endpoint is disabled. Enable it first.')
    const { rows } = await api.database.pool.query<{ waits: boolean }>(
      'SELECT due_at > now() AS waits FROM pending_deliveries WHERE delivery_id = $1',
      [id],
    )
    expect(rows).toEqual([{ waits: true }])
  })

  test("404 not_found for a deleted endpoint and for another organization's", async () => {
    const [owner, stranger] = [await makeSubscriber(api), await makeSubscriber(api)]
    const { webhookId } = owner
    expect(refusalOf(await retryNow({ ...stranger, webhookId }))).toEqual(notFound)
    await api.call('delete', `/webhooks/${webhookId}`, { token: owner.token })
    expect(refusalOf(await retryNow(owner))).toEqual(notFound)
  })
})
