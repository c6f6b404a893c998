import {
  openSecurityPolicy,
  type DeviceLoginRule,
  type SecurityPolicy,
} from '@hosting/core/sessions'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Database, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { int, listOf, notNull, text, uuid } = types

// The order of locks (caller-locks.ts): users, API keys, sessions, security policies, key policies, organizations.

/** Returns the security policy of an organization. */
export async function findSecurityPolicy(
  client: Client,
  tenantId: string,
): Promise<SecurityPolicy> {
  const row = await client.securityPolicy.findUnique({
    where: { tenantId },
    omit: { tenantId: true },
  })
  return row ? { ...row, deviceLogin: row.deviceLogin as DeviceLoginRule } : openSecurityPolicy
}

/** A policy that cannot change until the transaction ends, and the database's time. */
export interface HeldSecurityPolicy {
  readonly policy: SecurityPolicy
  readonly now: Date
}

/**
 * Returns the security policy of an organization, which cannot change until the transaction ends. Other transactions
 * can hold it, too.
 */
export async function holdSecurityPolicy(
  tx: Transaction,
  tenantId: string,
): Promise<HeldSecurityPolicy> {
  await tx.$executeRaw`
    INSERT INTO security_policies (tenant_id) VALUES (${tenantId}::uuid) ON CONFLICT DO NOTHING`
  const [row] = await tx.$queryRaw<{ now: Date }[]>`
    SELECT clock_timestamp() AS now FROM security_policies WHERE tenant_id = ${tenantId}::uuid FOR SHARE`
  return { policy: await findSecurityPolicy(tx, tenantId), now: row!.now }
}

/**
 * Replaces the security policy of an organization. Waits until the transactions that hold it have ended.
 *
 * @returns the former policy.
 */
export async function putSecurityPolicy(
  tx: Transaction,
  tenantId: string,
  policy: SecurityPolicy,
): Promise<SecurityPolicy> {
  await tx.$executeRaw`
    INSERT INTO security_policies (tenant_id) VALUES (${tenantId}::uuid) ON CONFLICT DO NOTHING`
  await tx.$queryRaw`
    SELECT 1 FROM security_policies WHERE tenant_id = ${tenantId}::uuid FOR NO KEY UPDATE`
  const before = await findSecurityPolicy(tx, tenantId)
  await tx.securityPolicy.update({ where: { tenantId }, data: policy })
  return before
}

/** Whether a person has an authenticator or a passkey. */
export async function hasSecondFactor(client: Client, userId: string): Promise<boolean> {
  const [row] = await client.$queryRaw<{ has: boolean }[]>`
    SELECT has_second_factor(${userId}::uuid) AS has`
  return row!.has
}

const reachTypes = {
  /** Active people. */
  people: notNull(int, 'count'),
  /** Of these, those without a second factor. */
  withoutSecondFactor: notNull(int, 'count'),
  /** Of the active people, those without the role `admin`. */
  notAdmin: notNull(int, 'count'),
  /** The names of the first people without a second factor. */
  names: notNull(listOf(text), 'an array'),
}

/** The people of an organization whom a security policy can affect. */
export type PolicyReach = RowOf<typeof reachTypes>

/**
 * Counts the people whom a security policy can affect.
 *
 * @param namesMax - how many names it returns at most.
 */
export async function findPolicyReach(
  client: Client,
  tenantId: string,
  namesMax: number,
): Promise<PolicyReach> {
  const [reach] = await runIn(client, reachStatement, { tenantId, namesMax })
  return reach!
}

/** Gives the numbers of active people whom a policy concerns, and the first names. It locks nothing. */
const reachStatement = defineStatement({
  name: 'find-policy-reach',
  takes: { tenantId: uuid, namesMax: int },
  gives: reachTypes,
  sql: `
    WITH active AS (
      SELECT name, 'admin' = ANY (roles) AS is_admin, has_second_factor(id) AS is_secured FROM users
      WHERE tenant_id = :tenantId AND kind = 'human' AND status = 'active' AND deleted_at IS NULL
    )
    SELECT count(*)::int AS people,
      count(*) FILTER (WHERE NOT is_secured)::int AS without_second_factor,
      count(*) FILTER (WHERE NOT is_admin)::int AS not_admin,
      ARRAY(SELECT name FROM active WHERE NOT is_secured ORDER BY name LIMIT :namesMax) AS names
    FROM active`,
})

/**
 * Writes notices to people without a second factor whose organization requires one within 7 days or 1 day. Returns
 * how many people got one.
 */
export async function writeSecondFactorNotices(
  { pool }: Database,
  peopleMax: number,
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT write_second_factor_notices($1) AS count',
    [peopleMax],
  )
  return rows[0]!.count
}
