import { verifyWebhook } from '@hosting/sdk'
import { beforeAll, expect } from '@jest/globals'
import type { ServiceProcess } from './processes.ts'
import { startReceiver, type ReceivedRequest, type Reply } from './receiver.ts'
import { useStack } from './stack.ts'
import { webhookUser, type Subscription } from './webhook-user.ts'

// One attempt at a time, so that attempts are made in the order in which they are taken; dead after two.
export const stack = useStack({
  WEBHOOK_RETRY_DELAYS_SECONDS: '0.2',
  WORKER_CONCURRENCY: '1',
  LOG_LEVEL: 'trace',
})

export const { subscribe, publish, listDeliveries, endedDelivery } = webhookUser(stack)

export let worker: ServiceProcess

beforeAll(async () => {
  worker = await stack.startWorker()
})

export async function post(token: string, path: string, body?: unknown) {
  const response = await stack.api.call('post', path, { token, body })
  expect([200, 202]).toContain(response.status)
  return response.body
}

export const show = async ({ token, id }: Subscription) =>
  (await stack.api.call('get', `/webhooks/${id}`, { token })).body.webhook

export const setEnabled = ({ token, id }: Subscription, enabled: boolean) =>
  stack.api.call('patch', `/webhooks/${id}`, { token, body: { enabled } })

export const redeliver = async ({ token }: Subscription, deliveryId: string): Promise<string> =>
  (await post(token, `/webhook-deliveries/${deliveryId}/redeliver`)).delivery.id

export const signatureOf = ({ headers }: ReceivedRequest) => headers['service-signature'] as string

export const verify = (request: ReceivedRequest, secret: string | readonly string[]) =>
  verifyWebhook(request.body, signatureOf(request), secret)

/** A receiver with a configurable response, and an endpoint for it. */
export async function makeSubscriber(
  respond?: (request: ReceivedRequest) => Reply | Promise<Reply>,
) {
  const receiver = await startReceiver(respond && { respond })
  const tenant = await stack.api.makeTenant()
  return { receiver, tenant, endpoint: await subscribe(tenant, receiver.url) }
}

export const idsOf = (requests: readonly ReceivedRequest[]): string[] =>
  requests.map(({ body }) => JSON.parse(body.toString()).id)
