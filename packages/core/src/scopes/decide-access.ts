import { Problem } from '../problems/problem.ts'
import { getPermission, type PermissionName } from './permissions.ts'
import {
  permissionsOfRoles,
  reachesAllAccounts,
  rolesPermit,
  rolesPermitOrganizationWide,
  rolesPermitWithinAccounts,
  type Role,
} from './roles.ts'
import { neededScope, scopesCover, type Scope } from './scopes.ts'

/** The roles of the acting user, and the scopes of the key if the request has one. */
export interface AccessSubject {
  readonly roles: readonly Role[]
  /** `accounts`: the ids of the accounts that the key is limited to; `null` if it is not limited. */
  readonly key: {
    readonly scopes: readonly Scope[]
    readonly accounts: readonly string[] | null
  } | null
}

/** The members of a subject that decide which permissions it has, whatever its scopes. */
export interface AccountSubject {
  readonly roles: readonly Role[]
  readonly key: { readonly accounts: readonly string[] | null } | null
}

const isLimited = ({ key }: AccountSubject): boolean => Boolean(key?.accounts)

/**
 * Whether the roles have the permission. With a key that is limited to accounts, only what applies to accounts
 * or to the user's own keys (docs/specification/api-keys.md#account-limited-keys).
 */
export const hasPermission = (subject: AccountSubject, name: PermissionName): boolean =>
  isLimited(subject)
    ? rolesPermitWithinAccounts(subject.roles, name)
    : rolesPermit(subject.roles, name)

/** Whether the subject has the permission at organization level. A key that is limited to accounts has none. */
export const hasPermissionOrganizationWide = (
  subject: AccountSubject,
  name: PermissionName,
): boolean => !isLimited(subject) && rolesPermitOrganizationWide(subject.roles, name)

/** Every permission of the subject, in the order of the table. */
export const permissionsOf = (subject: AccountSubject): PermissionName[] =>
  permissionsOfRoles(subject.roles).filter((name) => hasPermission(subject, name))

/** Whether the subject reaches every account of the organization. */
export const hasAllAccounts = (subject: AccountSubject): boolean =>
  !isLimited(subject) && reachesAllAccounts(subject.roles)

/**
 * Decides whether the subject has a permission. Checks the scope first, then the role
 * (docs/specification/requests.md#order-of-checks). What a scope covers is in scopes.ts. `apps/api/src/api/access/check-access.ts`
 * calls this for every route.
 *
 * @returns the problem, `insufficient_scope` or `permission_denied`, or `undefined` if access is allowed.
 */
export function decideAccess(
  subject: AccessSubject,
  name: PermissionName,
  method: string,
): Problem | undefined {
  const { key } = subject
  if (key) {
    const scope = neededScope(getPermission(name), method)
    if (!scopesCover(key.scopes, scope)) {
      return new Problem('insufficient_scope', {
        facts: { scope },
        headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      })
    }
  }
  if (!hasPermission(subject, name))
    return new Problem('permission_denied', { facts: { permission: name } })
  return undefined
}
