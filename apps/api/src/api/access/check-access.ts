import { Problem, unconfirmedSecondFactor } from '@hosting/core/problems'
import { decideAccess, neededScope, type Scope } from '@hosting/core/scopes'
import { accessSubjectOf, type Caller, type SessionCaller } from './caller.ts'
import { isSessionOnly, permissionOf, type RequiredAccess } from './required-access.ts'

/**
 * Checks whether an authenticated caller may call a route: first that a key does not call a route for sessions, then
 * the second factor that the organization requires, scope, role, confirmation and impersonation. Returns the problem if
 * not.
 */
export function checkAccess(
  { user, key, session }: Pick<Caller, 'user' | 'key' | 'session'>,
  route: RequiredAccess,
  method: string,
): Problem | undefined {
  if (key && isSessionOnly(route)) return new Problem('api_key_not_allowed')
  const missing = session && checkSecondFactor(session, route)
  if (missing) return missing
  const permission = permissionOf(route.auth)
  const problem =
    permission && decideAccess(accessSubjectOf({ user, key }), permission.name, method)
  return problem ?? (session && checkSession(session, route))
}

/** The scope that a key needs for a route; null if it needs none. */
export function scopeNeededBy(
  { auth }: Pick<RequiredAccess, 'auth'>,
  method: string,
): Scope | null {
  const permission = permissionOf(auth)
  return permission ? neededScope(permission, method) : null
}

/** Checks whether a session has the second factor that the organization requires, or the route is open without it. */
export function checkSecondFactor(
  { lacksSecondFactor, missingSecondFactor }: SessionCaller['session'],
  { withoutSecondFactor = false }: Pick<RequiredAccess, 'withoutSecondFactor'>,
): Problem | undefined {
  if (!lacksSecondFactor || withoutSecondFactor === true) return undefined
  if (missingSecondFactor === 'unconfirmed') {
    return new Problem('second_factor_required', { detail: unconfirmedSecondFactor })
  }
  return withoutSecondFactor === 'first' ? undefined : new Problem('second_factor_required')
}

/**
 * Requires that a session has confirmed its identity and does not impersonate; keys need neither. For operations that
 * need it only with some arguments.
 *
 * @throws AccessProblem `reauthentication_required` or `conflict`.
 */
export function requireConfirmed({ session }: Caller): void {
  const problem = session && checkSession(session, { confirmed: true, refusesImpersonation: true })
  if (problem) throw problem
}

/**
 * A refusal by a check of access. It is never stored for replay, even if only certain arguments of the operation require
 * the check.
 */
export class AccessProblem extends Problem {}

/** Checks the confirmation and the impersonation of a session against what the route requires. */
export function checkSession(
  { isConfirmed, impersonator }: SessionCaller['session'],
  { confirmed, refusesImpersonation }: Pick<RequiredAccess, 'confirmed' | 'refusesImpersonation'>,
): Problem | undefined {
  if (confirmed && !isConfirmed) return new AccessProblem('reauthentication_required')
  if (refusesImpersonation && impersonator) {
    return new AccessProblem('conflict', { facts: { reason: 'stop impersonating first.' } })
  }
  return undefined
}
