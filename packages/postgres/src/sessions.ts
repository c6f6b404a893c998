import { currentTime } from '@hosting/core'
import type { Client, Database, Transaction } from './database.ts'
import type { Prisma } from './generated/client.ts'

/** A session as it is made. */
export interface NewSession {
  /** A UUIDv7. */
  readonly id: string
  readonly userId: string
  readonly secretHash: Uint8Array
  readonly ip: string
  readonly userAgent: string
  readonly now: Date
  readonly idleExpiresAt: Date
  readonly absoluteExpiresAt: Date
}

/** Stores a new session, whose person has just shown who they are. */
export async function createSession(
  client: Client,
  { now, secretHash, ...session }: NewSession,
): Promise<void> {
  await client.panelSession.create({
    data: {
      ...session,
      secretHash: Uint8Array.from(secretHash),
      confirmedAt: now,
      createdAt: now,
      lastSeenAt: now,
    },
  })
}

/**
 * Writes that a session was used, unless it ended, another process wrote it already, or a change by the session
 * is being made, which nobody should wait for.
 */
export async function touchSession(
  { pool }: Database,
  id: string,
  { seenBefore, now, idleExpiresAt }: { seenBefore: Date; now: Date; idleExpiresAt: Date },
): Promise<void> {
  await pool.query(
    `WITH seen AS (
       SELECT id FROM panel_sessions WHERE id = $1 AND last_seen_at = $2 AND revoked_at IS NULL
       FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE panel_sessions s SET last_seen_at = $3, idle_expires_at = $4 FROM seen WHERE s.id = seen.id`,
    [id, seenBefore, now, idleExpiresAt],
  )
}

/** What a session becomes when it gets a new secret. */
export interface SessionRotation {
  readonly id: string
  /** The hash of the secret that the request came with. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly confirmedAt?: Date
  readonly userId?: string
  readonly impersonatorId?: string | null
}

/**
 * Gives a session a new secret; the one so far is dead at once.
 *
 * @returns whether it still had that secret: of several that try at once, one does it.
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

/** The sessions of a person: their own, and those in which they act as another. */
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

/** A session as its person sees it in the list. */
export type SessionRow = Prisma.PanelSessionGetPayload<object>

/** A page of the living sessions of a person, newest first. */
export const listSessions = (
  client: Client,
  personId: string,
  { after, take, now }: { after: string | undefined; take: number; now: Date },
): Promise<SessionRow[]> =>
  client.panelSession.findMany({
    where: { ...ofPerson(personId), ...living(now), ...(after && { id: { lt: after } }) },
    orderBy: { id: 'desc' },
    take,
  })

/** Ends a living session of a person; gives whether there was one. */
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

/** Ends a session by its secret, as the hash of it; gives whether it was alive. */
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
 * Ends the sessions of a person, also those in which somebody acts as them.
 *
 * @param exceptId - a session that goes on.
 */
export async function revokeSessionsOf(
  tx: Transaction,
  personId: string,
  { now, exceptId }: { now: Date; exceptId?: string },
): Promise<void> {
  await tx.panelSession.updateMany({
    where: {
      OR: [{ userId: personId }, { impersonatorId: personId }],
      revokedAt: null,
      ...(exceptId !== undefined && { id: { not: exceptId } }),
    },
    data: { revokedAt: now },
  })
}

/** Forgets sessions that ended over a day ago; gives how many. */
export async function dropEndedSessions({ pool }: Database): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM panel_sessions WHERE least(idle_expires_at, absolute_expires_at) < now() - interval '1 day'
       OR revoked_at < now() - interval '1 day'`,
  )
  return rowCount ?? 0
}
