import { currentTime, isStillValid } from '@hosting/core/clock'
import { type SignInMethod } from '@hosting/core/sessions'
import {
  defineScan,
  ifGiven,
  partOf,
  scanPage,
  type ScannedRows,
} from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Client, Database, Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, execute, run } from '../database/statement.ts'
import type { Prisma } from '../generated/client.ts'
import { endUnusedSignIns } from './sign-in-links.ts'

const { int, nullable, time, uuid } = types

/** The fields of a new session. */
export interface NewSession {
  /** A UUIDv7. */
  readonly id: string
  readonly userId: string
  readonly secretHash: Uint8Array
  readonly ip: string
  readonly userAgent: string
  readonly method: SignInMethod
  /** Whether a passkey, or a code of an authenticator app, opened the session. */
  readonly hasSecondFactor: boolean
  readonly now: Date
  /** When the person last confirmed their identity. */
  readonly confirmedAt: Date
  readonly idleExpiresAt: Date
  readonly absoluteExpiresAt: Date
}

/** Stores a new session. */
export async function createSession(
  client: Client,
  { now, secretHash, ...session }: NewSession,
): Promise<void> {
  await client.panelSession.create({
    data: {
      ...session,
      secretHash: Uint8Array.from(secretHash),
      createdAt: now,
      lastSeenAt: now,
    },
  })
}

/**
 * Records that a session was used. Skips a session that has ended, whose use another process has
 * recorded, or that is locked by a change in progress.
 */
export async function touchSession(
  { pool }: Database,
  id: string,
  { seenBefore, now, idleExpiresAt }: { seenBefore: Date; now: Date; idleExpiresAt: Date },
): Promise<void> {
  await execute(pool, touchStatement, { id, seenBefore, now, idleExpiresAt })
}

/** Records the use of a session, unless another transaction has locked or changed it. */
const touchStatement = defineStatement({
  name: 'touch-session',
  takes: { id: uuid, seenBefore: time, now: time, idleExpiresAt: time },
  gives: {},
  sql: `
    WITH seen AS (
      SELECT id FROM panel_sessions WHERE id = :id AND last_seen_at = :seenBefore AND revoked_at IS NULL
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE panel_sessions s SET last_seen_at = :now, idle_expires_at = :idleExpiresAt
    FROM seen WHERE s.id = seen.id`,
})

/** The new state of a session that gets a new secret. */
export interface SessionRotation {
  readonly id: string
  /** The hash of the secret in the request. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly confirmedAt?: Date
  /** Given if a passkey, or a code of an authenticator app, has confirmed the session. */
  readonly hasSecondFactor?: true
  readonly userId?: string
  readonly impersonatorId?: string | null
}

/**
 * Replaces the secret of a session. The old secret becomes invalid immediately.
 *
 * @returns whether the session still had the old secret. Only one of several concurrent calls succeeds.
 */
export async function rotateSession(
  tx: Transaction,
  { id, from, to, ...change }: SessionRotation,
): Promise<boolean> {
  const { count } = await tx.panelSession.updateMany({
    where: { id, secretHash: Uint8Array.from(from), revokedAt: null },
    data: { secretHash: Uint8Array.from(to), ...change },
  })
  return count === 1
}

/** The sessions of a person: their own, and those in which they impersonate another user. */
const ofPerson = (personId: string) =>
  ({
    OR: [{ userId: personId, impersonatorId: null }, { impersonatorId: personId }],
  }) satisfies Prisma.PanelSessionWhereInput

const living = (now: Date) =>
  ({
    revokedAt: null,
    idleExpiresAt: { gt: now },
    absoluteExpiresAt: { gt: now },
  }) satisfies Prisma.PanelSessionWhereInput

/** A session in the list of its person. */
export type SessionRow = Prisma.PanelSessionGetPayload<object>

/** The most sessions of an index that are examined for a page. */
const examinedMax = 2_000

/**
 * Returns a page of the active sessions of a person, newest first. If few of many sessions are active, the page is not
 * full, and continues after `examinedTo`.
 *
 * @param examined - the most sessions to examine. For tests.
 */
export async function listSessions(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  { personId, now }: { personId: string; now: Date },
  { after, take }: { after: string | undefined; take: number },
  examined: number = examinedMax,
): Promise<ScannedRows<SessionRow>> {
  const { positions, examinedTo } = await scanPage(
    { before: after, take, examined },
    ({ before = null, ...step }) => run(pool, sessionsScan, { personId, now, before, ...step }),
  )
  const rows = await prisma.panelSession.findMany({
    where: { id: { in: [...positions] } },
    orderBy: { id: 'desc' },
  })
  return { rows, examinedTo }
}

const sessionsWhere = (indexed: string, matching: string): string => `
  SELECT id::text AS position, ${matching} AND revoked_at IS NULL
    AND idle_expires_at > :now AND absolute_expires_at > :now AS matches
  FROM panel_sessions WHERE ${indexed} AND ${ifGiven('before', 'id < :before')}
  ORDER BY id DESC LIMIT :examined`

/** Returns the parts of a page: a person's own sessions, and those in which they impersonate another user. Locks nothing. */
const sessionsScan = defineScan(
  'list-sessions',
  { personId: uuid, now: time, before: nullable(uuid), take: int, examined: int },
  [
    partOf(sessionsWhere('user_id = :personId', 'impersonator_id IS NULL')),
    partOf(sessionsWhere('impersonator_id = :personId', 'true')),
  ],
)

/** Revokes an active session of a person. Returns whether there was one. */
export async function revokeSession(
  tx: Transaction,
  personId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const { count } = await tx.panelSession.updateMany({
    where: { id, ...ofPerson(personId), ...living(now) },
    data: { revokedAt: now },
  })
  return count === 1
}

/**
 * Revokes active sessions of a person, except one, in one statement.
 *
 * @param limit - the most that are revoked.
 * @returns those that were revoked.
 */
export const revokeOtherSessions = (
  tx: Transaction,
  personId: string,
  { exceptId, now, limit }: { exceptId: string; now: Date; limit: number },
): Promise<{ id: string }[]> =>
  tx.panelSession.updateManyAndReturn({
    where: { id: { not: exceptId }, ...ofPerson(personId), ...living(now) },
    data: { revokedAt: now },
    select: { id: true },
    limit,
  })

/** Ends the session with this secret hash. Returns whether it was active. */
export async function endSessionBySecret(
  tx: Transaction,
  id: string,
  secretHash: Uint8Array,
): Promise<boolean> {
  const now = currentTime()
  const { count } = await tx.panelSession.updateMany({
    where: { id, secretHash: Uint8Array.from(secretHash), ...living(now) },
    data: { revokedAt: now },
  })
  return count === 1
}

/**
 * Revokes the sessions of a person, including those in which another user impersonates them, and ends their unused
 * sign-in links.
 *
 * @param exceptId - a session to keep.
 * @returns the sessions that had not ended before.
 */
export async function revokeSessionsOf(
  tx: Transaction,
  personId: string,
  { now, exceptId }: { now: Date; exceptId?: string },
): Promise<{ id: string }[]> {
  const revoked = await tx.panelSession.updateManyAndReturn({
    where: {
      OR: [{ userId: personId }, { impersonatorId: personId }],
      revokedAt: null,
      ...(exceptId !== undefined && { id: { not: exceptId } }),
    },
    data: { revokedAt: now },
    select: { id: true, idleExpiresAt: true, absoluteExpiresAt: true },
  })
  await endUnusedSignIns(tx, { userId: personId })
  return revoked.filter(
    ({ idleExpiresAt, absoluteExpiresAt }) =>
      isStillValid(idleExpiresAt, now) && isStillValid(absoluteExpiresAt, now),
  )
}

/** Deletes sessions that ended over a day ago. Returns their number. */
export const dropEndedSessions = defineDeletion({
  name: 'delete-ended-sessions',
  table: 'panel_sessions',
  where: `least(idle_expires_at, absolute_expires_at) < now() - interval '1 day'
    OR revoked_at < now() - interval '1 day'`,
})
