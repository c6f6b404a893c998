import { isSameHash } from '../api-keys/token.ts'
import { earlierEnd, isStillValid } from '../clock/index.ts'
import { rolesPermit, type Role } from '../scopes/roles.ts'

/**
 * How long a confirmation is valid, in ms (docs/specification/sign-in.md#confirmation).
 */
export const confirmationMs = 5 * 60_000

/** Minimum time between updates of a session's last use, in ms; a tenth of a shorter idle limit. */
const seenEveryMs = 60_000

/** The fields that decide whether a session is valid. */
export interface SessionState {
  readonly secretHash: Uint8Array
  readonly idleExpiresAt: Date
  readonly absoluteExpiresAt: Date
  readonly revokedAt: Date | null
  /** Whether its user is an active person, and the organization is not deleted. */
  readonly userIsActive: boolean
  /** Who impersonates the user; `null` without impersonation. */
  readonly impersonator: { readonly isActive: boolean; readonly roles: readonly Role[] } | null
}

/** Whether the session is valid and the hash is that of its secret; `hash` is 32 bytes. */
export function isAlive(
  session: SessionState,
  { hash, now }: { hash: Buffer; now: Date },
): boolean {
  const { impersonator } = session
  return (
    isSameHash(session.secretHash, hash) &&
    session.revokedAt === null &&
    isStillValid(session.idleExpiresAt, now) &&
    isStillValid(session.absoluteExpiresAt, now) &&
    session.userIsActive &&
    (impersonator === null ||
      (impersonator.isActive && rolesPermit(impersonator.roles, 'users.impersonate')))
  )
}

/** How a person signed in. */
export const signInMethods = ['password', 'passkey', 'oidc', 'link'] as const
export type SignInMethod = (typeof signInMethods)[number]

/** Whether the last confirmation is still valid. */
export const isConfirmed = (confirmedAt: Date, now: Date): boolean =>
  now.getTime() - confirmedAt.getTime() <= confirmationMs

/** Whether it is time to update the last use of the session. The session is extended from this use. */
export const isLastUseOutdated = (
  lastSeenAt: Date,
  { idleMs, now }: Pick<SessionLife, 'idleMs'> & { readonly now: Date },
): boolean => now.getTime() - lastSeenAt.getTime() >= Math.min(seenEveryMs, idleMs / 10)

/** The lifetimes of a session, in ms. */
export interface SessionLife {
  readonly idleMs: number
  readonly lifetimeMs: number
}

/** When a session that starts at `now` ends: if it is not used, and at the latest. */
export const sessionEnds = ({ idleMs, lifetimeMs }: SessionLife, now: Date) => ({
  idleExpiresAt: new Date(now.getTime() + Math.min(idleMs, lifetimeMs)),
  absoluteExpiresAt: new Date(now.getTime() + lifetimeMs),
})

/** When a session ends if it is not used again. */
export const sessionEnd = ({
  idleExpiresAt,
  absoluteExpiresAt,
}: Pick<SessionState, 'idleExpiresAt' | 'absoluteExpiresAt'>): Date =>
  earlierEnd(idleExpiresAt, absoluteExpiresAt)
