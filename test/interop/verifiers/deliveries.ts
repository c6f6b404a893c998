import {
  createSigningSecret,
  signatureHeader,
  standardWebhooksHeaders,
  standardWebhooksKey,
} from '@hosting/core/webhooks'
import { expect } from '@jest/globals'
import { siteData } from '../../support/events.ts'
import { startReceiver, type ReceivedRequest } from '../../support/receiver.ts'
import type { Stack } from '../../support/stack.ts'
import { webhookUser } from '../../support/webhook-user.ts'

/** A delivery as a verifier gets it, with the secret of its receiver. */
interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly secret: string
}

/** Deliveries that a verifier tells apart. */
interface Deliveries {
  /** As they arrived: one, and one in the overlap period of a rotation, with each of its secrets. */
  readonly genuine: readonly Delivery[]
  /** With a changed body, another secret and a signature of an hour ago. */
  readonly forged: readonly Delivery[]
  /** Signed an hour from now. */
  readonly early: Delivery
}

/** Receives deliveries with the headers of Standard Webhooks from a stack with a worker. */
export async function recordDeliveries(stack: Pick<Stack, 'api'>): Promise<Deliveries> {
  const { api } = stack
  const receiver = await startReceiver()
  const tenant = await api.makeTenant()
  const endpoint = await webhookUser(stack).subscribe(tenant, receiver.url)
  const { token, id, secret: old } = endpoint
  const call = async (method: 'post' | 'patch', path: string, body: object) => {
    const response = await api.call(method, `/webhooks/${id}${path}`, { token, body })
    expect(response.status).toBeLessThan(300)
    return response.body
  }
  await call('patch', '', { standard_webhooks: true })
  const data = { ...siteData, primary_domain: 'bücher.example' }
  await api.callInternal('post', '/events', { tenant_id: tenant.id, type: 'site.created', data })
  const first = deliveryOf(await receiver.next(), old)
  const rotated = await call('post', '/rotate-secret', { grace_seconds: 3_600 })
  await call('post', '/ping', {})
  const request = await receiver.next()
  await receiver.close()

  const now = Math.floor(Date.now() / 1_000)
  return {
    genuine: [first, deliveryOf(request, rotated.secret), deliveryOf(request, old)],
    forged: [
      { ...first, body: first.body.replace('bücher', 'bucher') },
      { ...first, secret: createSigningSecret() },
      signedAt(now - 3_600, first),
    ],
    early: signedAt(now + 3_600, first),
  }
}

const deliveryOf = ({ headers, body }: ReceivedRequest, secret: string): Delivery => ({
  headers: headers as Delivery['headers'],
  body: body.toString(),
  secret,
})

/** A delivery as the service would have signed it at another time. */
const signedAt = (unixSeconds: number, { headers, body, secret }: Delivery): Delivery => ({
  headers: {
    ...headers,
    'service-signature': signatureHeader(body, [secret], unixSeconds),
    ...standardWebhooksHeaders({
      body,
      eventId: headers['webhook-id']!,
      unixSeconds,
      keys: [standardWebhooksKey(secret)!],
    }),
  },
  body,
  secret,
})
