import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { type AddressPolicy } from '@hosting/core/network'
import { notFound, Problem } from '@hosting/core/problems'
import {
  createSigningSecret,
  endpointsMax,
  checkWebhookUrl,
  signingSecretContext,
} from '@hosting/core/webhooks'
import { type Client } from '@hosting/postgres/database'
import { lockTenant } from '@hosting/postgres/directory'
import {
  noActivity,
  readEndpointActivity,
  type EndpointActivity,
  countWebhookEndpoints,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  lockWebhookEndpoint,
  replaceWebhookHeaders,
  updateWebhookEndpoint,
} from '@hosting/postgres/webhooks'
import { toWebhookRecord } from '../records/webhook.ts'
import type { WebhookChange, WebhookFields } from '../schemas/webhook.ts'
import type { Services } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import {
  headersForAudit,
  requireAllowedHeaders,
  requireStandardSecrets,
  sealHeaders,
} from './webhook-headers.ts'
import { requireHeadersOfOrigin, type OriginChange } from './webhook-origin.ts'

/** Creates an endpoint with its first secret. Only this response holds the secret. */
export async function createWebhook(
  services: Services,
  context: RequestContext,
  fields: WebhookFields,
) {
  requireAllowedUrl(fields.url, services.addressPolicy)
  requireAllowedHeaders(services, Object.entries(fields.headers ?? {}))
  const { tx } = context.work
  const { id: tenantId } = context.caller.tenant
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
    ...toLimits(fields),
    createdAt: currentTime(),
    secretId,
    sealedSecret: services.secrets!.seal(secret, signingSecretContext(secretId)),
    headers: sealHeaders(services, fields.headers),
    standardWebhooks: fields.standard_webhooks ?? false,
  })
  await recordChange(context, {
    action: 'webhook.create',
    target: { type: 'webhook', id },
    details: {
      url: fields.url,
      events: fields.events,
      enabled: row.enabled,
      ...(fields.rate_limit_per_second && {
        rate_limit_per_second: fields.rate_limit_per_second,
      }),
      ...(fields.disable_after_failing_hours && {
        disable_after_failing_hours: fields.disable_after_failing_hours,
      }),
      ...headersForAudit(fields),
    },
  })
  return { webhook: toWebhookRecord(row, noActivity), secret }
}

/** Updates an endpoint. Disabling pauses its deliveries; enabling resumes them. */
export async function updateWebhook(
  services: Services,
  context: RequestContext,
  requested: OriginChange & { readonly change: WebhookChange },
) {
  const { id, change } = requested
  const { headers, standard_webhooks: standardWebhooks, ...audited } = change
  if (change.url !== undefined) requireAllowedUrl(change.url, services.addressPolicy)
  requireAllowedHeaders(services, Object.entries(headers ?? {}))
  const { tx } = context.work
  // Read before taking the lock, which others would wait for.
  const activity = await activityOf(tx, id)
  const before = await lockWebhookEndpoint(tx, context.caller.tenant.id, id)
  if (!before) throw notFound()
  await requireHeadersOfOrigin(context, before, requested)
  if (standardWebhooks && !before.standardWebhooks) await requireStandardSecrets(tx, id)
  if (headers !== undefined) await replaceWebhookHeaders(tx, id, sealHeaders(services, headers))
  const { enabled } = change
  const toggled = enabled !== undefined && enabled !== before.enabled
  const { rate_limit_per_second: _rate, disable_after_failing_hours: _hours, ...others } = audited
  const row = await updateWebhookEndpoint(tx, id, {
    ...others,
    ...toLimits(change),
    ...(standardWebhooks !== undefined && { standardWebhooks }),
    ...(toggled && { disabledAt: enabled ? null : currentTime() }),
  })
  await recordChange(context, {
    action: 'webhook.update',
    target: { type: 'webhook', id },
    details: { ...audited, ...headersForAudit(change) },
  })
  return { webhook: toWebhookRecord(row, activity) }
}

/** Deletes an endpoint. Its waiting deliveries read as dead from now on; its history stays readable. */
export async function deleteWebhook(context: RequestContext, id: string): Promise<void> {
  const { tx } = context.work
  if (!(await lockWebhookEndpoint(tx, context.caller.tenant.id, id))) throw notFound()
  await deleteWebhookEndpoint(tx, id)
  await recordChange(context, { action: 'webhook.delete', target: { type: 'webhook', id } })
}

/** The limits of an endpoint as they are stored. Omitted members stay omitted. */
const toLimits = ({
  rate_limit_per_second: rateLimitPerSecond,
  disable_after_failing_hours: disableAfterFailingHours,
}: WebhookChange) => ({
  ...(rateLimitPerSecond !== undefined && { rateLimitPerSecond }),
  ...(disableAfterFailingHours !== undefined && { disableAfterFailingHours }),
})

/** Counts the waiting deliveries of an endpoint, up to a limit. */
export async function activityOf(client: Client, id: string): Promise<EndpointActivity> {
  return (await readEndpointActivity(client, [id])).get(id) ?? noActivity
}

function requireAllowedUrl(url: string, policy: AddressPolicy): void {
  const reason = checkWebhookUrl(url, policy)
  if (reason === undefined) return
  throw new Problem('webhook_url_not_allowed', {
    facts: { reason },
    errors: [{ pointer: '/url', message: reason }],
  })
}
