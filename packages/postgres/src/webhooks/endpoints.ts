import { currentTime } from '@hosting/core/clock'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { wakeEndpoint } from '../deliveries/endpoint-wakeups.ts'
import type { Prisma } from '../generated/client.ts'
import type { EncryptedHeaders } from './endpoint-headers.ts'

const { bool, notNull, nullable, text, uuid } = types

const withSecretsAndState = {
  secrets: { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] },
  schedule: true,
  failures: true,
  headers: { select: { names: true } },
} satisfies Prisma.WebhookEndpointInclude

/** An endpoint with its secrets, newest first, its schedule, its failures and the names of its custom headers. */
export type EndpointRow = Prisma.WebhookEndpointGetPayload<{
  include: typeof withSecretsAndState
}>

/** The columns of an endpoint that its owner sets. */
export type EndpointSettings = Omit<
  Prisma.WebhookEndpointGetPayload<object>,
  | 'id'
  | 'tenantId'
  | 'createdAt'
  | 'updatedAt'
  | 'disabledAt'
  | 'disabledReason'
  | 'secretRotatedAt'
  | 'deletedAt'
  | 'emptiedAt'
>

/** A new endpoint. Settings have the defaults of their columns. `encryptedSecret` comes from the secrets store. */
export interface NewEndpoint extends Partial<EndpointSettings> {
  readonly id: string
  readonly tenantId: string
  readonly url: string
  readonly enabled: boolean
  readonly createdAt: Date
  readonly secretId: string
  readonly encryptedSecret: string
  readonly headers?: EncryptedHeaders | undefined
}

/** Stores a new endpoint with its first secret, its custom headers and an empty schedule. */
export async function createEndpoint(
  client: Client,
  { secretId, encryptedSecret, createdAt, headers, ...endpoint }: NewEndpoint,
): Promise<EndpointRow> {
  return client.webhookEndpoint.create({
    data: {
      ...endpoint,
      createdAt,
      updatedAt: createdAt,
      disabledAt: endpoint.enabled ? null : createdAt,
      secrets: {
        create: { id: secretId, encrypted: encryptedSecret, createdAt, standardForm: true },
      },
      schedule: { create: {} },
      ...(headers && { headers: { create: { ...headers, names: [...headers.names], createdAt } } }),
    },
    include: withSecretsAndState,
  })
}

/** Counts the endpoints of the organization. Lock the organization before acting on the result. */
export const countEndpoints = (client: Client, tenantId: string): Promise<number> =>
  client.webhookEndpoint.count({ where: { tenantId, deletedAt: null } })

/** Finds an endpoint of the organization that is not deleted. */
export const findEndpoint = (
  client: Client,
  tenantId: string,
  id: string,
): Promise<EndpointRow | null> =>
  client.webhookEndpoint.findFirst({
    where: { id, tenantId, deletedAt: null },
    include: withSecretsAndState,
  })

/** Finds the URL of an endpoint of the organization that is not deleted. */
export async function findEndpointUrl(
  client: Client,
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  const where = { id, tenantId, deletedAt: null }
  return (await client.webhookEndpoint.findFirst({ where, select: { url: true } }))?.url
}

/**
 * Whether the organization has or had the endpoint. The history of a deleted endpoint remains readable.
 */
export async function endpointEverExisted(
  client: Client,
  tenantId: string,
  id: string,
): Promise<boolean> {
  return (await client.webhookEndpoint.count({ where: { id, tenantId } })) > 0
}

/** Which endpoints of an organization a page has. */
export interface EndpointListPage {
  readonly tenantId: string
  readonly externalId?: string | undefined
  readonly beforeId: string | undefined
  readonly take: number
}

/** Returns a page of the organization's endpoints, newest first: those before `beforeId`. */
export const listEndpoints = (
  client: Client,
  { tenantId, externalId, beforeId, take }: EndpointListPage,
): Promise<EndpointRow[]> =>
  client.webhookEndpoint.findMany({
    where: {
      tenantId,
      deletedAt: null,
      ...(externalId !== undefined && { externalId }),
      ...(beforeId === undefined ? {} : { id: { lt: beforeId } }),
    },
    orderBy: { id: 'desc' },
    take,
    include: withSecretsAndState,
  })

const lockedTypes = {
  enabled: bool,
  url: text,
  description: nullable(text),
  standardWebhooks: bool,
  isThrottled: notNull(bool, 'IS NOT NULL'),
}

/** The fields of a locked endpoint. */
export type LockedEndpoint = RowOf<typeof lockedTypes>

/** Locks an endpoint until the transaction ends, unless it is deleted. */
export async function lockEndpoint(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<LockedEndpoint | undefined> {
  return (await runIn(tx, lockStatement, { tenantId, id }))[0]
}

/** Returns an endpoint, and locks it until the transaction ends. */
const lockStatement = defineStatement({
  name: 'lock-webhook-endpoint',
  takes: { tenantId: uuid, id: uuid },
  gives: lockedTypes,
  sql: `
    SELECT enabled, url, description, standard_webhooks, rate_limit_per_second IS NOT NULL AS is_throttled
    FROM webhook_endpoints WHERE id = :id AND tenant_id = :tenantId AND deleted_at IS NULL
    FOR NO KEY UPDATE`,
})

/** A change of an endpoint. */
export interface EndpointUpdate extends Partial<EndpointSettings> {
  readonly disabledAt?: Date | null
}

/**
 * Updates an endpoint that the transaction has locked. If the update enables the endpoint or changes its
 * rate limit, it wakes the relay.
 */
export async function updateEndpoint(
  tx: Transaction,
  id: string,
  change: EndpointUpdate,
): Promise<EndpointRow> {
  if (change.enabled || change.rateLimitPerSecond !== undefined) await wakeEndpoint(tx, id)
  return tx.webhookEndpoint.update({
    where: { id },
    data: { ...change, updatedAt: currentTime() },
    include: withSecretsAndState,
  })
}

/** The changes that a rotation makes to the secrets of an endpoint. */
export interface EndpointSecretRotation {
  readonly removed: readonly string[]
  readonly retiring: { readonly id: string; readonly expiresAt: Date } | undefined
  readonly secretId: string
  readonly encryptedSecret: string
  readonly now: Date
}

/**
 * Adds a new secret to an endpoint that the transaction has locked, and erases secrets that have ended.
 */
export async function rotateEndpointSecret(
  tx: Transaction,
  id: string,
  { removed, retiring, secretId, encryptedSecret, now }: EndpointSecretRotation,
): Promise<EndpointRow> {
  await tx.webhookSecret.deleteMany({ where: { id: { in: [...removed] } } })
  if (retiring) {
    const { id: retiringId, expiresAt } = retiring
    await tx.webhookSecret.update({ where: { id: retiringId }, data: { expiresAt } })
  }
  await tx.webhookSecret.create({
    data: {
      id: secretId,
      endpointId: id,
      encrypted: encryptedSecret,
      createdAt: now,
      standardForm: true,
    },
  })
  return tx.webhookEndpoint.update({
    where: { id },
    data: { secretRotatedAt: now, updatedAt: now },
    include: withSecretsAndState,
  })
}

/** Lists the secrets of an endpoint, with the fields that a rotation needs. */
export const listEndpointSecretEnds = (
  client: Client,
  endpointId: string,
): Promise<{ id: string; expiresAt: Date | null }[]> =>
  client.webhookSecret.findMany({ where: { endpointId }, select: { id: true, expiresAt: true } })

/**
 * Marks an endpoint as deleted, erases its secrets and custom headers, and cancels its recoveries. Its history remains.
 * Workers mark its waiting deliveries as dead (`abandonDeliveries`), so the duration of this call does not depend on
 * their number.
 */
export async function deleteEndpoint(tx: Transaction, id: string): Promise<void> {
  await deleteEndpoints(tx, { id })
}

/** Deletes every endpoint of an organization in the same way. Returns them. */
export const deleteEndpointsOf = (
  tx: Transaction,
  tenantId: string,
): Promise<readonly { readonly id: string }[]> => deleteEndpoints(tx, { tenantId })

async function deleteEndpoints(
  tx: Transaction,
  which: { id: string } | { tenantId: string },
): Promise<readonly { readonly id: string }[]> {
  const marked = await runIn(tx, deleteStatement, {
    id: 'id' in which ? which.id : null,
    tenantId: 'tenantId' in which ? which.tenantId : null,
  })
  // After the endpoints are locked: no recovery can start for them any more.
  const endpointId = { in: marked.map(({ id }) => id) }
  await tx.webhookSecret.deleteMany({ where: { endpointId } })
  await tx.webhookHeaders.deleteMany({ where: { endpointId } })
  await tx.webhookRecovery.updateMany({
    where: { endpointId, status: 'running' },
    data: { status: 'cancelled' },
  })
  return marked
}

/** Marks an endpoint, or those of an organization, as deleted. One of the parameters is null. */
const deleteStatement = defineStatement({
  name: 'delete-webhook-endpoints',
  takes: { id: nullable(uuid), tenantId: nullable(uuid) },
  gives: { id: uuid },
  sql: `
    UPDATE webhook_endpoints SET deleted_at = now(), updated_at = now()
    WHERE (id = :id OR tenant_id = :tenantId) AND deleted_at IS NULL RETURNING id`,
})
