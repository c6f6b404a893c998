import { decideRotation, validSecretsMax } from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { type AddressPolicy } from '@hosting/core/network'
import { conflict, notFound, Problem } from '@hosting/core/problems'
import {
  createSigningSecret,
  endpointName,
  endpointsMax,
  checkEndpointUrl,
  signingSecretContext,
} from '@hosting/core/webhooks'
import { type Client } from '@hosting/postgres/database'
import { lockTenant } from '@hosting/postgres/directory'
import {
  noActivity,
  readEndpointActivity,
  type EndpointActivity,
  type EndpointRow,
  type EndpointSettings,
  countEndpoints,
  createEndpoint,
  findEndpoint,
  listEndpointSecretEnds,
  lockEndpoint,
  replaceEndpointHeaders,
  rotateEndpointSecret,
  updateEndpoint,
} from '@hosting/postgres/webhooks'
import { toEndpointRecord, toEndpointSettings } from '../records/endpoint.ts'
import type { EndpointChange, EndpointFields } from '../schemas/endpoint.ts'
import type { Needs } from '../services.ts'
import { detailsOfChange, recordChange, type RequestContext } from './audit.ts'
import { withExternalId } from './duplicates.ts'
import { lockGivenAccounts } from './key-accounts.ts'
import {
  requireAllowedHeaders,
  requireStandardSecrets,
  encryptHeaders,
} from './endpoint-headers.ts'
import { requireHeadersOfOrigin, type OriginChange } from './endpoint-origin.ts'

/** `disableAfter` becomes `disable_after`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/**
 * What an audit entry says about the settings of an endpoint: of its headers, only the names. The audit log keeps it
 * unchanged, so it is no place for long texts.
 */
const settingsForAudit = (row: EndpointRow) =>
  ({
    url: row.url,
    events: row.events,
    description: row.description,
    enabled: row.enabled,
    accounts: row.accounts.length > 0 ? row.accounts : null,
    rate_limit_per_second: row.rateLimitPerSecond,
    disable_after_failing_hours: row.disableAfterFailingHours,
    standard_webhooks: row.standardWebhooks,
    header_names: row.headers?.names ?? [],
    external_id: row.externalId,
  }) satisfies Record<SnakeCase<keyof EndpointSettings> | 'header_names', unknown>

/** Creates an endpoint with its first secret. Only this response holds the secret. */
export async function addEndpoint(
  services: Needs<'addressPolicy' | 'config' | 'secrets'>,
  context: RequestContext,
  fields: EndpointFields,
) {
  requireAllowedUrl(fields.url, services.addressPolicy)
  requireAllowedHeaders(services, Object.entries(fields.headers ?? {}))
  const { tx } = context.work
  const { id: tenantId } = context.caller.tenant
  await lockTenant(tx, tenantId)
  if ((await countEndpoints(tx, tenantId)) >= endpointsMax) {
    throw new Problem('webhook_limit_reached', { facts: { limit: String(endpointsMax) } })
  }
  const accounts = await readEndpointAccounts(context, fields.accounts)
  const secret = createSigningSecret()
  const [id, secretId] = [createUuidv7(), createUuidv7()]
  const row = await withExternalId(fields.external_id, () =>
    createEndpoint(tx, {
      id,
      tenantId,
      ...toEndpointSettings(fields),
      accounts,
      url: fields.url,
      enabled: fields.enabled ?? true,
      createdAt: currentTime(),
      secretId,
      encryptedSecret: services.secrets!.encrypt(secret, signingSecretContext(secretId)),
      headers: encryptHeaders(services, fields.headers),
    }),
  )
  await recordChange(context, {
    action: 'webhook.create',
    target: { type: 'webhook', id },
    details: settingsForAudit(row),
  })
  return { webhook: toEndpointRecord(row, noActivity), secret }
}

/** Updates an endpoint. Disabling pauses its deliveries; enabling resumes them. */
export async function changeEndpoint(
  services: Needs<'addressPolicy' | 'config' | 'secrets'>,
  context: RequestContext,
  requested: OriginChange & { readonly change: EndpointChange },
) {
  const { id, change } = requested
  const { headers, enabled } = change
  if (change.url !== undefined) requireAllowedUrl(change.url, services.addressPolicy)
  requireAllowedHeaders(services, Object.entries(headers ?? {}))
  const { tx } = context.work
  // Read before taking the lock, which others would wait for.
  const activity = await activityOf(tx, id)
  const before = await lockEndpoint(tx, context.caller.tenant.id, id)
  if (!before) throw notFound()
  await requireHeadersOfOrigin(context, before, requested)
  if (change.standard_webhooks && !before.standardWebhooks) await requireStandardSecrets(tx, id)
  const accounts = await readEndpointAccounts(context, change.accounts)
  const stored = (await findEndpoint(tx, context.caller.tenant.id, id))!
  if (headers !== undefined) await replaceEndpointHeaders(tx, id, encryptHeaders(services, headers))
  const toggled = enabled !== undefined && enabled !== before.enabled
  const row = await withExternalId(change.external_id, () =>
    updateEndpoint(tx, id, {
      ...toEndpointSettings(change),
      ...(change.accounts !== undefined && { accounts }),
      ...(toggled && { disabledAt: enabled ? null : currentTime() }),
    }),
  )
  await recordChange(context, {
    action: 'webhook.update',
    target: { type: 'webhook', id },
    details: {
      ...detailsOfChange(endpointName(row), {
        before: settingsForAudit(stored),
        after: settingsForAudit(row),
      }),
      ...(headers !== undefined && { headers_replaced: true }),
    },
  })
  return { webhook: toEndpointRecord(row, activity) }
}

/** Rotates the signing secret of an endpoint. During an overlap period the current one stays valid. */
export async function rotateSecret(
  { secrets }: Needs<'secrets'>,
  context: RequestContext,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
) {
  const { tx } = context.work
  // Read before taking the lock, which others would wait for.
  const activity = await activityOf(tx, id)
  if (!(await lockEndpoint(tx, context.caller.tenant.id, id))) throw notFound()
  const now = currentTime()
  const rotation = decideRotation(await listEndpointSecretEnds(tx, id), { overlapSeconds, now })
  if (rotation.refused) {
    const reason = `the endpoint already has ${validSecretsMax} valid secrets.`
    throw conflict(reason)
  }
  const [secret, secretId] = [createSigningSecret(), createUuidv7()]
  const encryptedSecret = secrets!.encrypt(secret, signingSecretContext(secretId))
  const row = await rotateEndpointSecret(tx, id, { ...rotation, secretId, encryptedSecret, now })
  await recordChange(context, {
    action: 'webhook.rotate_secret',
    target: { type: 'webhook', id },
    details: { grace_seconds: overlapSeconds },
  })
  return { webhook: toEndpointRecord(row, activity), secret }
}

/** Counts the waiting deliveries of an endpoint, up to a limit. */
export async function activityOf(client: Client, id: string): Promise<EndpointActivity> {
  return (await readEndpointActivity(client, [id])).get(id) ?? noActivity
}

/** Reads the accounts that an endpoint is limited to, and locks them until it is stored. Empty: not limited. */
const readEndpointAccounts = (
  { caller, work: { tx } }: RequestContext,
  given: readonly string[] | null | undefined,
): Promise<string[]> =>
  lockGivenAccounts(tx, given, {
    owner: { tenantId: caller.tenant.id, userId: undefined },
    refusal: 'is not an account of the organization',
  })

function requireAllowedUrl(url: string, policy: AddressPolicy): void {
  const reason = checkEndpointUrl(url, policy)
  if (reason === undefined) return
  throw new Problem('webhook_url_not_allowed', {
    facts: { reason },
    errors: [{ pointer: '/url', message: reason }],
  })
}
