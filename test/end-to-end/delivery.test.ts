import { describe, expect, test } from '@jest/globals'
import { Stripe } from 'stripe'
import { makeCertificates } from '../support/certificates.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { siteData } from '../support/events.ts'
import { useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

const retryDelaysSeconds = [0.2, 0.3, 0.2, 0.3, 0.2, 0.3]
const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: retryDelaysSeconds.join(',') })
const { subscribe, publish, listDeliveries, endedDelivery } = webhookUser(stack)

describe('one event to three endpoints over HTTPS', () => {
  test('reaches those whose patterns match, with a signature that an independent implementation accepts', async () => {
    const certificates = await makeCertificates({ addresses: ['127.0.0.1'] })
    const receivers = await Promise.all(
      [1, 2, 3, 4].map(() => startReceiver({ tls: certificates })),
    )
    const worker = await stack.startWorker({
      NODE_EXTRA_CA_CERTS: writeTemporary('ca.pem', certificates.ca),
    })
    const tenant = await stack.api.makeTenant()
    const [all, sites, exact, other] = receivers as [Receiver, Receiver, Receiver, Receiver]
    const endpoints = await Promise.all([
      subscribe(tenant, all.url, ['*']),
      subscribe(tenant, sites.url, ['dns.*', 'site.*']),
      subscribe(tenant, exact.url, ['site.created']),
      subscribe(tenant, other.url, ['site.deleted', 'backup.*']),
    ])
    const eventId = await publish(tenant)

    for (const [index, receiver] of [all, sites, exact].entries()) {
      const { headers, body } = await receiver.next()
      const { secret } = endpoints[index]!
      const signature = headers['service-signature'] as string
      const verified = new Stripe('sk_test_unused').webhooks.constructEvent(body, signature, secret)
      expect(verified).toEqual({
        id: eventId,
        type: 'site.created',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        tenant_id: tenant.id,
        data: siteData,
      })
      const delivery = await endedDelivery(endpoints[index]!)
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Service-Webhooks/1',
        'service-event': 'site.created',
        'service-delivery': delivery.id,
        'service-timestamp': /^t=(\d+),/.exec(signature)![1],
      })
      expect(delivery).toMatchObject({
        status: 'succeeded',
        attempt_count: 1,
        event: { id: eventId },
        attempts: [{ number: 1, status_code: 204, error_class: null }],
        payload: JSON.parse(body.toString()),
      })
    }
    expect(other.requests).toEqual([])
    expect(await worker.stop()).toBe(0)
    await Promise.all(receivers.map((receiver) => receiver.close()))
  })
})

describe('with a worker', () => {
  test('a delivery to a failing receiver is retried on schedule and is dead after 7 attempts', async () => {
    await stack.startWorker()
    const receiver = await startReceiver({ respond: () => ({ status: 500, body: 'no' }) })
    const tenant = await stack.api.makeTenant()
    const endpoint = await subscribe(tenant, receiver.url)
    await publish(tenant)
    const delivery = await endedDelivery(endpoint, 15_000)

    expect(delivery).toMatchObject({ status: 'dead', attempt_count: 7, next_attempt_at: null })
    const { attempts } = delivery
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7])
    for (const [index, delay] of retryDelaysSeconds.entries()) {
      const gapMs =
        Date.parse(attempts[index + 1]!.started_at) - Date.parse(attempts[index]!.started_at)
      expect(gapMs).toBeGreaterThanOrEqual(delay * 1_000)
    }
    expect(receiver.requests).toHaveLength(7)
    const bodies = new Set(receiver.requests.map(({ body }) => body.toString()))
    const ids = new Set(receiver.requests.map(({ headers }) => headers['service-delivery']))
    expect([bodies.size, ids.size]).toEqual([1, 1])
    await receiver.close()
  })

  test('deliveries of a disabled endpoint wait, and are sent when it is enabled', async () => {
    const receiver = await startReceiver()
    const tenant = await stack.api.makeTenant()
    const endpoint = await subscribe(tenant, receiver.url)
    const { token, id } = endpoint
    const patch = (enabled: boolean) =>
      stack.api.call('patch', `/webhooks/${id}`, { token, body: { enabled } })
    await patch(false)
    await publish(tenant)
    expect(await listDeliveries(endpoint)).toMatchObject([
      { status: 'waiting_endpoint', attempt_count: 0 },
    ])
    await patch(true)
    await receiver.next()
    expect(await endedDelivery(endpoint)).toMatchObject({ status: 'succeeded' })
    await receiver.close()
  })
})
