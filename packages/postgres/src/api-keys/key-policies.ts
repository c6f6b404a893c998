import { openKeyPolicy, type KeyPolicy } from '@hosting/core/api-keys'
import { types } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { bool, int, notNull, nullable, time, uuid } = types

// The order of locks (caller-locks.ts): users, API keys, sessions, key policies, organizations.

/** A policy that cannot change until the transaction ends, and the database's time. */
export interface HeldKeyPolicy {
  readonly policy: KeyPolicy
  readonly now: Date
}

/** Returns the key policy of the organization. */
export async function findKeyPolicy(client: Client, tenantId: string): Promise<KeyPolicy> {
  const row = await client.keyPolicy.findUnique({ where: { tenantId }, omit: { tenantId: true } })
  return row ?? openKeyPolicy
}

/**
 * Returns the key policy of the organization, which cannot change until the transaction ends. Waits for
 * a change that is in progress. Other transactions can hold the policy, too.
 */
export async function holdKeyPolicy(tx: Transaction, tenantId: string): Promise<HeldKeyPolicy> {
  const known = await readHeld(tx, tenantId)
  if (known) return known
  await tx.$executeRaw`
    INSERT INTO key_policies (tenant_id) VALUES (${tenantId}::uuid) ON CONFLICT DO NOTHING`
  return (await readHeld(tx, tenantId))!
}

async function readHeld(tx: Transaction, tenantId: string): Promise<HeldKeyPolicy | undefined> {
  const [row] = await runIn(tx, holdStatement, { tenantId })
  if (!row) return undefined
  const { now, ...policy } = row
  return { policy, now }
}

/** Returns the policy, and locks it in shared mode until the transaction ends. */
const holdStatement = defineStatement({
  name: 'hold-key-policy',
  takes: { tenantId: uuid },
  gives: {
    maxLifetimeDays: nullable(int),
    ipAllowlistRequired: bool,
    personalKeysAllowed: bool,
    now: notNull(time, 'clock_timestamp()'),
  },
  sql: `
    SELECT max_lifetime_days, ip_allowlist_required, personal_keys_allowed, clock_timestamp() AS now
    FROM key_policies WHERE tenant_id = :tenantId FOR SHARE`,
})

/**
 * Replaces the key policy of the organization. Waits until the transactions that hold it have ended.
 *
 * @returns the former policy.
 */
export async function putKeyPolicy(
  tx: Transaction,
  tenantId: string,
  policy: KeyPolicy,
): Promise<KeyPolicy> {
  await tx.$executeRaw`
    INSERT INTO key_policies (tenant_id) VALUES (${tenantId}::uuid) ON CONFLICT DO NOTHING`
  await tx.$queryRaw`
    SELECT 1 FROM key_policies WHERE tenant_id = ${tenantId}::uuid FOR NO KEY UPDATE`
  const before = await findKeyPolicy(tx, tenantId)
  await tx.keyPolicy.update({ where: { tenantId }, data: policy })
  return before
}
