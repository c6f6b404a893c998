import {
  getPermission,
  type KeyPermissionName,
  type Permission,
  type PermissionName,
} from '@hosting/core/scopes'

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
