import { isSameHash } from '../api-keys/token.ts'
import { rolesPermit, type Role } from '../scopes/roles.ts'

/**
 * How long a confirmation of the person's identity holds, in ms (docs/specification/sign-in.md#confirmation).
 */
export const confirmationMs = 5 * 60_000

/** That a session is used is written at most so often, in ms. */
export const seenEveryMs = 60_000

/** What says whether a session is alive. */
export interface SessionState {
  readonly secretHash: Uint8Array
  readonly idleExpiresAt: Date
  readonly absoluteExpiresAt: Date
  readonly revokedAt: Date | null
  /** Whether its user is an active person of a living organization. */
  readonly userIsActive: boolean
  /** Who acts as the user; null where the user acts. */
  readonly impersonator: { readonly isActive: boolean; readonly roles: readonly Role[] } | null
}

/** Whether the session is alive and the hash is of its secret; `hash` is 32 bytes. */
export function isAlive(
  session: SessionState,
  { hash, now }: { hash: Buffer; now: Date },
): boolean {
  const { impersonator } = session
  return (
    isSameHash(session.secretHash, hash) &&
    session.revokedAt === null &&
    session.idleExpiresAt > now &&
    session.absoluteExpiresAt > now &&
    session.userIsActive &&
    (impersonator === null ||
      (impersonator.isActive && rolesPermit(impersonator.roles, 'users.impersonate')))
  )
}

/** Whether the person has confirmed who they are lately enough. */
export const isConfirmed = (confirmedAt: Date, now: Date): boolean =>
  now.getTime() - confirmedAt.getTime() <= confirmationMs

/** Whether it is time to write that the session was used. */
export const isSeenAgain = (lastSeenAt: Date, now: Date): boolean =>
  now.getTime() - lastSeenAt.getTime() >= seenEveryMs

/** The settings of a session's life, in ms. */
export interface SessionLife {
  readonly idleMs: number
  readonly lifetimeMs: number
}

/** When a session that begins at a time ends, unused and at the latest. */
export const sessionEnds = ({ idleMs, lifetimeMs }: SessionLife, now: Date) => ({
  idleExpiresAt: new Date(now.getTime() + Math.min(idleMs, lifetimeMs)),
  absoluteExpiresAt: new Date(now.getTime() + lifetimeMs),
})

/** When a session ends if it is not used again. */
export const sessionEnd = ({
  idleExpiresAt,
  absoluteExpiresAt,
}: Pick<SessionState, 'idleExpiresAt' | 'absoluteExpiresAt'>): Date =>
  idleExpiresAt < absoluteExpiresAt ? idleExpiresAt : absoluteExpiresAt
