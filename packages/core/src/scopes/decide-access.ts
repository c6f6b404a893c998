import { Problem } from '../problems.ts'
import { getPermission, type PermissionName } from './permissions.ts'
import { rolesPermit, type Role } from './roles.ts'
import { neededScope, scopesCover, type Scope } from './scopes.ts'

/** The roles of the acting user, and the scopes of the key if the request has one. */
export interface AccessSubject {
  readonly roles: readonly Role[]
  readonly key: { readonly scopes: readonly Scope[] } | null
}

/**
 * Decides whether the subject has a permission. Checks the scope first, then the role
 * (docs/specification/requests.md#order-of-checks).
 *
 * @returns the problem, `insufficient_scope` or `permission_denied`, or `undefined` if access is allowed.
 */
export function decideAccess(
  { roles, key }: AccessSubject,
  name: PermissionName,
  method: string,
): Problem | undefined {
  if (key) {
    const scope = neededScope(getPermission(name), method)
    if (!scopesCover(key.scopes, scope)) {
      return new Problem('insufficient_scope', {
        facts: { scope },
        headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      })
    }
  }
  if (!rolesPermit(roles, name))
    return new Problem('permission_denied', { facts: { permission: name } })
  return undefined
}
