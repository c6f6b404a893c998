import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { type Scope } from '@hosting/core/scopes'
import type { Client, Transaction } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'
import { writeNewKeyNotice } from '../notices/key-notices.ts'
import { toWorkloadData, type NewWorkloadIdentity } from './workload-keys.ts'
import { endUnusedLineages } from './key-lineage.ts'

/** How a key was created. */
export type KeySource = 'panel' | 'api' | 'device' | 'workload'

/** The fields of a new key. */
export interface NewApiKey {
  readonly id: string
  /** `undefined`: the key has no secret of its own. */
  readonly secretHash: Uint8Array | undefined
  readonly tenantId: string
  readonly userId: string
  readonly createdById: string | null
  readonly kind: 'personal' | 'organization'
  readonly source: KeySource
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly ipAllowlist?: readonly string[]
  readonly rateLimitPerMinute: number
  /** The database's time. Default: the time of the statement. */
  readonly createdAt?: Date
  /** The ids of the accounts that the key is limited to. Empty: not limited. */
  readonly accounts?: readonly string[]
  /** The key that creates it. */
  readonly parentKeyId?: string | null
  /** The lineage of the secret that creates it; `null` for that of the parent key's creation. */
  readonly parentLineageId?: string | null
  /** What a workload key exchanges for its tokens. */
  readonly workload?: NewWorkloadIdentity | undefined
  readonly externalId?: string | null
}

/**
 * Stores a new key with the hash of its first secret, and writes its notice. Waits for changes of its user and organization that
 * are in progress: they would not find the new key, and so would not announce its change.
 */
export async function createApiKey(
  tx: Transaction,
  { secretHash, workload, scopes, ipAllowlist = [], accounts = [], createdAt, ...key }: NewApiKey,
): Promise<ApiKeyRow> {
  await tx.$queryRaw`
    SELECT 1 FROM tenants t JOIN users u ON u.tenant_id = t.id WHERE u.id = ${key.userId}::uuid FOR SHARE`
  const created = await tx.apiKey.create({
    data: {
      ...key,
      ...(createdAt && { createdAt, updatedAt: createdAt }),
      scopes: [...scopes],
      ipAllowlist: [...ipAllowlist],
      accounts: [...accounts],
      ...(secretHash && {
        secrets: { create: { id: createUuidv7(), hash: Uint8Array.from(secretHash) } },
      }),
      ...(workload && { workload: { create: toWorkloadData(workload) } }),
    },
    include: withPeopleAndUsage(),
  })
  await writeNewKeyNotice(tx, created)
  return created
}

/**
 * Creates the service user that an organization key acts as: an admin without email address and
 * password.
 */
export async function createServiceUser(
  client: Client,
  user: { id: string; tenantId: string; name: string },
): Promise<void> {
  await client.user.create({ data: { ...user, kind: 'service', roles: ['admin'] } })
}

/** What a key is read with. */
export const withPeopleAndUsage = () =>
  ({
    user: true,
    createdBy: true,
    secrets: true,
    workload: true,
    scopeUses: true,
    usage: { where: { date: startOfUtcDay(currentTime()) } },
  }) satisfies Prisma.ApiKeyInclude

/** A key with its user, its creator, its secrets and the usage of the current day. */
export type ApiKeyRow = Prisma.ApiKeyGetPayload<{ include: ReturnType<typeof withPeopleAndUsage> }>

/** Finds a key of the organization, in any state. */
export const findApiKey = (
  client: Client,
  tenantId: string,
  id: string,
): Promise<ApiKeyRow | null> =>
  client.apiKey.findFirst({ where: { id, tenantId }, include: withPeopleAndUsage() })

/**
 * Locks a key until the transaction ends, and returns it. Locks the service user of an organization key
 * first, because a rename of the key also renames it, and callers are locked in the same order.
 */
export async function lockApiKey(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<ApiKeyRow | null> {
  await tx.$queryRaw`
    WITH locked_user AS MATERIALIZED (
      SELECT u.id FROM users u JOIN api_keys k ON k.user_id = u.id
      WHERE k.id = ${id} AND k.tenant_id = ${tenantId}::uuid AND u.kind = 'service' FOR NO KEY UPDATE OF u
    )
    SELECT 1 FROM api_keys
    WHERE id = ${id} AND tenant_id = ${tenantId}::uuid AND (SELECT count(*) FROM locked_user) >= 0
    FOR NO KEY UPDATE`
  return findApiKey(tx, tenantId, id)
}

/** Locks a key of any organization until the transaction ends, and returns it. */
export async function lockApiKeyById(tx: Transaction, id: string): Promise<ApiKeyRow | null> {
  await tx.$queryRaw`SELECT 1 FROM api_keys WHERE id = ${id} FOR NO KEY UPDATE`
  return tx.apiKey.findUnique({ where: { id }, include: withPeopleAndUsage() })
}

/** The fields of a key that can be changed. */
export interface ApiKeyChange {
  readonly name?: string
  readonly scopes?: string[]
  readonly ipAllowlist?: string[]
  readonly rateLimitPerMinute?: number
  readonly enabled?: boolean
  readonly accounts?: string[]
  readonly externalId?: string | null
  readonly revokedAt?: Date
}

/**
 * Updates a key that the transaction has locked. Renames the service user of an organization key with it.
 */
export async function updateApiKey(
  tx: Transaction,
  id: string,
  change: ApiKeyChange,
): Promise<ApiKeyRow> {
  const { name } = change
  if (name !== undefined) {
    await tx.user.updateMany({
      where: { kind: 'service', apiKeys: { some: { id } } },
      data: { name, updatedAt: currentTime() },
    })
  }
  return tx.apiKey.update({
    where: { id },
    data: { ...change, updatedAt: currentTime() },
    include: withPeopleAndUsage(),
  })
}

/** The changes that a rotation makes to the secrets of a key. */
export interface SecretRotation {
  readonly removed: readonly string[]
  readonly retiring: { readonly id: string; readonly expiresAt: Date } | undefined
  readonly hash: Uint8Array
  /** Where the new secret comes from; `null` for the lineage of the key's creation. */
  readonly lineageId: string | null
  readonly now: Date
}

/** Adds a new secret to a key that the transaction has locked. */
export async function rotateApiKey(
  tx: Transaction,
  id: string,
  { removed, retiring, hash, lineageId, now }: SecretRotation,
): Promise<ApiKeyRow> {
  await tx.apiKeySecret.deleteMany({ where: { id: { in: [...removed] } } })
  if (retiring) {
    const { id: secretId, expiresAt } = retiring
    await tx.apiKeySecret.update({ where: { id: secretId }, data: { expiresAt } })
  }
  const row = await tx.apiKey.update({
    where: { id },
    data: {
      rotatedAt: now,
      updatedAt: now,
      secrets: { create: { id: createUuidv7(), hash: Uint8Array.from(hash), lineageId } },
    },
    include: withPeopleAndUsage(),
  })
  await endUnusedLineages(tx, id, now)
  return row
}

/**
 * Removes the secrets that rotations have replaced from a key that the transaction has locked.
 *
 * @returns the number of those that were still valid.
 */
export async function removePreviousSecrets(
  tx: Transaction,
  id: string,
  now: Date,
): Promise<number> {
  const ofKey = { keyId: id, expiresAt: { not: null } }
  const count = await tx.apiKeySecret.count({ where: { ...ofKey, expiresAt: { gt: now } } })
  await tx.apiKeySecret.deleteMany({ where: ofKey })
  await endUnusedLineages(tx, id, now)
  return count
}

const startOfUtcDay = (now: Date): Date => new Date(now.toISOString().slice(0, 10))
