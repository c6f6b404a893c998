import { secondFactorNoticeDays } from '@hosting/core/notices'
import {
  openSecurityPolicy,
  type DeviceLoginRule,
  type SecurityPolicy,
} from '@hosting/core/sessions'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Database, Transaction } from '../database/database.ts'
import { defineStatement, run, runIn } from '../database/statement.ts'
import { writeNotice } from '../notices/write-notice.ts'

const { int, listOf, notNull, text, time, uuid } = types

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

/** Returns the numbers of active people whom a policy concerns, and the first names. Locks nothing. */
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
 * Writes notices to people without a second factor whose organization requires one within 7 days or 1 day. If a policy
 * is saved after the time of a notice, the notice is written then. Any number of processes may call it.
 *
 * @returns how many people got one, at most `peopleMax`.
 */
export async function writeSecondFactorNotices(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  peopleMax: number,
): Promise<number> {
  const found = await run(pool, unsecuredStatement, { noticeDays, peopleMax })
  if (found.length === 0) return 0
  await prisma.$transaction(async (tx) => {
    for (const [occurrence, people] of Map.groupBy(found, (person) => person.occurrence)) {
      const { tenantId, name, days, from } = people[0]!
      await writeNotice(tx, {
        type: 'second_factor.required',
        occurrence,
        subject: { type: 'tenant', id: tenantId, name },
        details: { days, from: from.toISOString() },
        to: { people: people.map(({ userId }) => userId) },
      })
    }
  })
  return found.length
}

const noticeDays: readonly number[] = secondFactorNoticeDays

/**
 * Returns active people without a second factor whose organization requires one soon, with the days of the latest
 * notice, which they do not have. Locks nothing.
 */
const unsecuredStatement = defineStatement({
  name: 'find-people-without-second-factor',
  takes: { noticeDays: listOf(int), peopleMax: int },
  gives: {
    userId: uuid,
    tenantId: uuid,
    name: text,
    from: notNull(time, 'part of the condition'),
    days: notNull(int, 'part of the condition'),
    occurrence: notNull(text, 'concat_ws'),
  },
  sql: `
    WITH policy AS MATERIALIZED (
      SELECT p.tenant_id, t.name, p.second_factor_from, d.days,
        concat_ws(' ', p.tenant_id, d.days, extract(epoch FROM p.second_factor_from)) AS occurrence
      FROM security_policies p JOIN tenants t ON t.id = p.tenant_id, LATERAL (
        SELECT min(n) AS days FROM unnest(:noticeDays) n
        WHERE p.second_factor_from <= now() + n * interval '24 hours'
      ) d
      WHERE p.second_factor_required AND p.second_factor_from > now() AND d.days IS NOT NULL AND t.deleted_at IS NULL
    )
    SELECT u.id AS user_id, p.tenant_id, p.name, p.second_factor_from AS "from", p.days, p.occurrence
    FROM policy p JOIN users u ON u.tenant_id = p.tenant_id
    WHERE u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND NOT has_second_factor(u.id)
      AND NOT EXISTS (SELECT FROM notices n WHERE n.user_id = u.id AND n.type = 'second_factor.required'
        AND n.occurrence = p.occurrence)
    ORDER BY p.second_factor_from, p.tenant_id, u.id LIMIT :peopleMax`,
})
