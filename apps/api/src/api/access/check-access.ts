import { Problem, unconfirmedSecondFactor } from '@hosting/core/problems'
import {
  decideAccess,
  getPermission,
  neededScope,
  type KeyPermissionName,
  type Permission,
  type PermissionName,
  type Scope,
} from '@hosting/core/scopes'
import { accessSubjectOf, type Caller, type SessionCaller } from './caller.ts'

/** Who may call a route. */
export interface RequiredAccess {
  /** The credentials and the permission. There is no default. */
  readonly auth: Auth
  /** Requires that the person of a session has confirmed their identity in the last 5 minutes. */
  readonly confirmed?: boolean
  /** Whether it is open to a session that lacks the second factor that the organization requires. */
  readonly withoutSecondFactor?: WithoutSecondFactor
  /** Refuses sessions under impersonation. */
  readonly refusesImpersonation?: boolean
}

/**
 * Whether something is open to a session that lacks the second factor that the organization requires. `first`: only to
 * set up the first one, so not to a person who has a passkey and did not use it.
 */
export type WithoutSecondFactor = boolean | 'first'

/**
 * A permission: a key or a session that has it. `any`: any key or session. `session`: only a session, with the
 * permission if one is named. `service`: a service token of the internal API. `none`: credentials are neither
 * required nor read. `sign_in`: no credentials are required, and keys are refused.
 */
export type Auth = KeyPermissionName | SessionAuth | 'any' | 'service' | OpenAuth

/** Only a session may call the route: with any roles, or with the permission. */
export type SessionAuth = 'session' | { readonly session: PermissionName }

/** The caller needs no credentials. */
export type OpenAuth = 'none' | 'sign_in'

const words = new Set<Auth>(['any', 'session', 'service', 'none', 'sign_in'])

/** The `auth` that requires a permission, by a session if keys cannot have it. */
export const requirePermission = (name: PermissionName): Auth =>
  getPermission(name).sessionOnly ? { session: name } : (name as KeyPermissionName)

/** The permission that a route requires; `undefined` if it requires none. */
export function permissionOf(auth: Auth): Permission | undefined {
  if (typeof auth === 'object') return getPermission(auth.session)
  return words.has(auth) ? undefined : getPermission(auth as PermissionName)
}

/** Whether a key is refused regardless of its scopes. */
export const isSessionOnly = ({ auth }: Pick<RequiredAccess, 'auth'>): boolean =>
  typeof auth === 'object' || auth === 'session' || auth === 'sign_in'

/** Whether the caller is authenticated before the body is read. */
export const needsCredentials = ({ auth }: Pick<RequiredAccess, 'auth'>): boolean =>
  auth !== 'none' && auth !== 'sign_in'

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
