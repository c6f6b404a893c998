import { expect, test } from '@jest/globals'
import { startReceiver } from '../support/receiver.ts'
import { useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '60' })
const { subscribe, publish, attemptedDelivery } = webhookUser(stack)

test.each([
  ['its own networks, whatever is allowed', { OWN_NETWORKS: '127.0.0.1/32' }],
  ['an address that is not public', { WEBHOOK_ALLOWED_NETWORKS: '127.9.0.0/16' }],
])('a worker never connects to %s', async (_what, environment) => {
  const worker = await stack.startWorker(environment)
  const receiver = await startReceiver()
  const tenant = await stack.api.makeTenant()
  const urls = [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]
  const endpoints = await Promise.all(urls.map((url) => subscribe(tenant, url)))
  await publish(tenant)
  for (const endpoint of endpoints) {
    expect(await attemptedDelivery(endpoint)).toMatchObject({
      status: 'waiting_retry',
      attempts: [{ number: 1, status_code: null, error_class: 'address_not_public' }],
    })
  }
  expect(receiver.connections).toBe(0)
  expect(await worker.stop()).toBe(0)
  await receiver.close()
})
