import {
  createSigningSecret,
  createUuidv7,
  currentTime,
  notFound,
  Problem,
  refuseWebhookUrl,
  signingSecretContext,
  type AddressPolicy,
} from '@hosting/core'
import {
  countWaitingDeliveries,
  countWebhookEndpoints,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  lockTenant,
  lockWebhookEndpoint,
  updateWebhookEndpoint,
  type Client,
} from '@hosting/postgres'
import { toWebhookRecord } from '../records/webhook.ts'
import type { Services } from '../services.ts'
import { recordChange, type Origin } from './audit.ts'

/** Maximum endpoints per organization (docs/specification/webhooks.md#endpoint-record). */
export const endpointsMax = 20

/** What an endpoint is made of, and what may change of it. */
export interface WebhookFields {
  readonly url: string
  readonly events: string[]
  readonly description?: string | null
  readonly enabled?: boolean
}

/** Makes an endpoint with its first secret, which this answer alone shows. */
export async function createWebhook(services: Services, origin: Origin, fields: WebhookFields) {
  refuseUrl(fields.url, services.addressPolicy)
  const { tx } = origin.work
  const { id: tenantId } = origin.caller.tenant
  await lockTenant(tx, tenantId)
  if ((await countWebhookEndpoints(tx, tenantId)) >= endpointsMax) {
    throw new Problem('webhook_limit_reached', { facts: { limit: String(endpointsMax) } })
  }
  const secret = createSigningSecret()
  const [id, secretId] = [createUuidv7(), createUuidv7()]
  const row = await createWebhookEndpoint(tx, {
    id,
    tenantId,
    url: fields.url,
    events: fields.events,
    description: fields.description ?? null,
    enabled: fields.enabled ?? true,
    createdAt: currentTime(),
    secretId,
    sealedSecret: services.secrets!.seal(secret, signingSecretContext(secretId)),
  })
  await recordChange(origin, {
    action: 'webhook.create',
    target: { type: 'webhook', id },
    details: { url: fields.url, events: fields.events, enabled: row.enabled },
  })
  return { webhook: toWebhookRecord(row, 0), secret }
}

/** Changes an endpoint. Disabling lets its deliveries wait; enabling lets them go on. */
export async function updateWebhook(
  services: Services,
  origin: Origin,
  { id, change }: { id: string; change: Partial<WebhookFields> },
) {
  if (change.url !== undefined) refuseUrl(change.url, services.addressPolicy)
  const { tx } = origin.work
  // Before the lock, which others would wait for.
  const waiting = await countWaiting(tx, id)
  const before = await lockWebhookEndpoint(tx, origin.caller.tenant.id, id)
  if (!before) throw notFound()
  const { enabled } = change
  const toggled = enabled !== undefined && enabled !== before.enabled
  const row = await updateWebhookEndpoint(tx, id, {
    ...change,
    ...(toggled && { disabledAt: enabled ? null : currentTime() }),
  })
  await recordChange(origin, {
    action: 'webhook.update',
    target: { type: 'webhook', id },
    details: { ...change },
  })
  return { webhook: toWebhookRecord(row, waiting) }
}

/** Deletes an endpoint. Its waiting deliveries read as dead from now on; its history stays readable. */
export async function deleteWebhook(origin: Origin, id: string): Promise<void> {
  const { tx } = origin.work
  if (!(await lockWebhookEndpoint(tx, origin.caller.tenant.id, id))) throw notFound()
  await deleteWebhookEndpoint(tx, id)
  await recordChange(origin, { action: 'webhook.delete', target: { type: 'webhook', id } })
}

/** How many deliveries wait for an endpoint, up to the limit of the count. */
export async function countWaiting(client: Client, id: string): Promise<number> {
  return (await countWaitingDeliveries(client, [id])).get(id) ?? 0
}

function refuseUrl(url: string, policy: AddressPolicy): void {
  const reason = refuseWebhookUrl(url, policy)
  if (reason === undefined) return
  throw new Problem('webhook_url_not_allowed', {
    facts: { reason },
    errors: [{ pointer: '/url', message: reason }],
  })
}
