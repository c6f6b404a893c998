import type { KeyCounts } from '@hosting/core/api-keys'
import { types } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { hasWideAllowlist } from './policy-violations.ts'

/**
 * Whether a key is neither revoked nor expired. An organization has a limited number of such keys, and the index
 * `api_keys_live_idx` contains them without the others.
 *
 * @param key - the name of the row.
 */
export const isLive = (key: string): string =>
  `${key}.revoked_at IS NULL AND (${key}.expires_at IS NULL OR ${key}.expires_at > statement_timestamp())`

const { int, notNull, uuid } = types

/** The owners of a key: its organization, and the user that it acts as. */
export interface KeyOwners {
  readonly tenantId: string
  readonly userId: string
}

/** Counts the keys of a user and of the organization that are neither revoked nor expired. */
export async function countKeys(
  client: Client,
  { tenantId, userId }: KeyOwners,
): Promise<KeyCounts> {
  const [counts] = await runIn(client, countStatement, { tenantId, userId })
  return counts!
}

/** Returns the number of live keys of a person and of the organization. Locks nothing. */
const countStatement = defineStatement({
  name: 'count-keys',
  takes: { tenantId: uuid, userId: uuid },
  gives: { ofUser: notNull(int, 'count'), ofOrganization: notNull(int, 'count') },
  sql: `
    SELECT count(*) FILTER (WHERE user_id = :userId)::int AS of_user, count(*)::int AS of_organization
    FROM api_keys k WHERE tenant_id = :tenantId AND ${isLive('k')}`,
})

/**
 * As {@link countKeys}, with a lock: until the transaction ends, no other key of the organization is created. Locks
 * the organization first, because changes of it lock its callers, which wait for the new key.
 */
export async function lockKeyCounts(tx: Transaction, owners: KeyOwners): Promise<KeyCounts> {
  await tx.$queryRaw`SELECT 1 FROM tenants WHERE id = ${owners.tenantId}::uuid FOR SHARE`
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`api-keys:${owners.tenantId}`}, 0))`
  // A statement of its own, whose snapshot is newer than the lock.
  return countKeys(tx, owners)
}

/** Counts the keys of the organization that are neither revoked nor expired, and have a wide IP allowlist. */
export async function countWideKeys(client: Client, tenantId: string): Promise<number> {
  const [row] = await runIn(client, countWideStatement, { tenantId })
  return row!.keys
}

/** Returns the number of live keys of the organization with a wide IP allowlist. Locks nothing. */
const countWideStatement = defineStatement({
  name: 'count-wide-keys',
  takes: { tenantId: uuid },
  gives: { keys: notNull(int, 'count') },
  sql: `
    SELECT count(*)::int AS keys FROM api_keys k
    WHERE tenant_id = :tenantId AND ${isLive('k')} AND ${hasWideAllowlist('k')}`,
})
