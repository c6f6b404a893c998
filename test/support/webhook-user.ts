import { expect } from '@jest/globals'
import type { TestTenant } from './api.ts'
import { siteData } from './events.ts'
import { until, type Stack } from './stack.ts'

/** An endpoint that a test created, with the key that manages it. */
export interface Subscription {
  readonly token: string
  readonly id: string
  readonly secret: string
}

/** The fields of a delivery in the API that tests read. */
export interface DeliveryView {
  readonly id: string
  readonly status: string
  readonly attempt_count: number
  readonly attempts: readonly {
    readonly number: number
    readonly started_at: string
    readonly duration_ms: number
    readonly status_code: number | null
    readonly error_class: string | null
  }[]
}

/** The webhook operations of an organization and its publisher, over the API of a stack. */
export function webhookUser(stack: Pick<Stack, 'api'>) {
  async function subscribe(
    tenant: TestTenant,
    url: string,
    events: readonly string[] = ['*'],
  ): Promise<Subscription> {
    const { token } = await tenant.makeKey()
    const { status, body } = await stack.api.call('post', '/webhooks', {
      token,
      body: { url, events },
    })
    expect(status).toBe(201)
    return { token, id: body.webhook.id, secret: body.secret }
  }

  /** Publishes one event and returns its id. */
  async function publish(tenant: TestTenant, type = 'site.created'): Promise<string> {
    const body = { tenant_id: tenant.id, type, data: siteData }
    const response = await stack.api.callInternal('post', '/events', body)
    expect(response.status).toBe(202)
    return response.body.items[0].id
  }

  async function listDeliveries({ token, id }: Subscription): Promise<DeliveryView[]> {
    const { body } = await stack.api.call('get', `/webhooks/${id}/deliveries`, { token })
    return body.items
  }

  /** The newest delivery of the endpoint, with its attempts, once it has completed. */
  const endedDelivery = (subscription: Subscription, timeoutMs?: number): Promise<DeliveryView> =>
    newestDelivery(subscription, ({ status }) => ['succeeded', 'dead'].includes(status), timeoutMs)

  /** The newest delivery of the endpoint, with its attempts, once an attempt was recorded. */
  const attemptedDelivery = (subscription: Subscription): Promise<DeliveryView> =>
    newestDelivery(subscription, ({ attempt_count }) => attempt_count > 0)

  async function newestDelivery(
    subscription: Subscription,
    isReady: (delivery: DeliveryView) => boolean,
    timeoutMs?: number,
  ): Promise<DeliveryView> {
    const [delivery] = await until(
      () => listDeliveries(subscription),
      ([newest]) => newest !== undefined && isReady(newest),
      timeoutMs,
    )
    const { token } = subscription
    const { body } = await stack.api.call('get', `/webhook-deliveries/${delivery!.id}`, { token })
    return body.delivery
  }

  return { subscribe, publish, listDeliveries, attemptedDelivery, endedDelivery }
}
