import { earlierStartsMs, type Approver, type EarlierStart } from '@hosting/core/device-login'
import { createUuidv7 } from '@hosting/core/ids'
import type { Role } from '@hosting/core/scopes'
import type { MissingSecondFactor } from '@hosting/core/sessions'
import { types } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import type { PersonRecord } from '../sessions/acting-user.ts'

const { bool, listOf, named, notNull, nullable, text, time, uuid } = types

// What device logins are checked against: the earlier starts of an address, the wrong codes of a person, and the
// approver.

/** The recent device logins of an address, and the current time. */
export interface DeviceStarts {
  readonly earlier: readonly EarlierStart[]
  readonly now: Date
}

/**
 * Returns the device logins that an address started recently.
 *
 * @param addressGroup - the address group that the limits count.
 */
export async function findDeviceStarts(
  client: Client,
  addressGroup: string,
): Promise<DeviceStarts> {
  const now = await readClock(client)
  const since = new Date(now.getTime() - earlierStartsMs)
  const earlier = await runIn(client, startsStatement, { addressGroup, since })
  return { earlier, now }
}

/** Returns the logins that an address group started since a time. Locks nothing. */
const startsStatement = defineStatement({
  name: 'list-device-starts',
  takes: { addressGroup: text, since: time },
  gives: { createdAt: time, expiresAt: time, pending: notNull(bool, 'the column is never null') },
  sql: `
    SELECT created_at, expires_at, status = 'pending' AS pending
    FROM device_requests WHERE address_group = :addressGroup AND created_at > :since`,
})

/**
 * As {@link findDeviceStarts}, with a lock: until the transaction ends, no other login is started from
 * the address, so concurrent starts cannot exceed the limits.
 */
export async function lockDeviceStarts(
  tx: Transaction,
  addressGroup: string,
): Promise<DeviceStarts> {
  await lockName(tx, `device-start:${addressGroup}`)
  return findDeviceStarts(tx, addressGroup)
}

/** Takes a lock on the name until the transaction ends. */
const lockName = (tx: Transaction, name: string): Promise<unknown> =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`

async function readClock(client: Client): Promise<Date> {
  const rows = await client.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  return rows[0]!.now
}

/**
 * Returns the times of the person's wrong user codes within `withinMs`. Until the transaction ends, the
 * person cannot enter another code.
 */
export async function lockUserCodeGuesses(
  tx: Transaction,
  userId: string,
  withinMs: number,
): Promise<{ wrongAt: Date[]; now: Date }> {
  await lockName(tx, `user-code:${userId}`)
  const now = await readClock(tx)
  const rows = await tx.wrongUserCode.findMany({
    where: { userId, givenAt: { gt: new Date(now.getTime() - withinMs) } },
    select: { givenAt: true },
  })
  return { wrongAt: rows.map(({ givenAt }) => givenAt), now }
}

/** Records that the person entered a wrong user code. */
export async function addWrongUserCode(
  tx: Transaction,
  userId: string,
  givenAt: Date,
): Promise<void> {
  await tx.wrongUserCode.create({ data: { id: createUuidv7(), userId, givenAt } })
}

/** The person who approves a device login, with the organization. */
export interface DeviceApprover extends Approver, PersonRecord {
  /** What the session of the approval lacks if the organization requires a second factor. */
  readonly missingSecondFactor: MissingSecondFactor | null
}

/**
 * Returns the person's current state. Waits for changes of the person, the organization and the session
 * that are in progress, and blocks new ones until the transaction ends.
 *
 * @param sessionId - the session in which the person approves. Null if a release before 0.2 did not
 * record it.
 */
export async function lockDeviceApprover(
  tx: Transaction,
  userId: string,
  sessionId: string | null,
): Promise<DeviceApprover> {
  const [row] = await runIn(tx, approverStatement, { userId })
  const { id, name, email, kind, tenantId, tenantSlug, tenantName, ...approver } = row!
  return {
    ...approver,
    ...(await holdSession(tx, { userId, sessionId })),
    user: { id, name, email, kind },
    tenant: { id: tenantId, slug: tenantSlug, name: tenantName },
  }
}

/** Returns the person with the organization, and locks both until the transaction ends. */
const approverStatement = defineStatement({
  name: 'lock-device-approver',
  takes: { userId: uuid },
  gives: {
    id: uuid,
    name: text,
    email: nullable(text),
    kind: notNull(named<'human' | 'service'>('text'), 'the column is never null'),
    roles: notNull(listOf(named<Role>('text')), 'every user has roles'),
    passwordHash: nullable(text),
    active: notNull(bool, 'of columns that are never null'),
    tenantId: uuid,
    tenantSlug: text,
    tenantName: text,
  },
  sql: `
    SELECT u.id, u.name, u.email, u.kind::text, u.roles::text[] AS roles, u.password_hash,
      u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS active,
      t.id AS tenant_id, t.slug AS tenant_slug, t.name AS tenant_name
    FROM users u JOIN tenants t ON t.id = u.tenant_id WHERE u.id = :userId FOR SHARE`,
})

type SessionOfApproval = Pick<DeviceApprover, 'sessionLives' | 'missingSecondFactor'>

/** An unknown session counts as begun with a password alone. */
async function holdSession(
  tx: Transaction,
  { userId, sessionId }: { userId: string; sessionId: string | null },
): Promise<SessionOfApproval> {
  const [session] = await tx.$queryRaw<{ missing: MissingSecondFactor | null }[]>`
    SELECT missing_second_factor(coalesce(impersonator_id, user_id), method, second_factor) AS missing
    FROM panel_sessions WHERE id = ${sessionId}::uuid AND revoked_at IS NULL FOR SHARE`
  if (session) return { sessionLives: true, missingSecondFactor: session.missing }
  const [unknown] = await tx.$queryRaw<{ missing: MissingSecondFactor | null }[]>`
    SELECT missing_second_factor(${userId}::uuid, 'password', false) AS missing`
  return { sessionLives: sessionId === null, missingSecondFactor: unknown!.missing }
}
