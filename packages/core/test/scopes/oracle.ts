import { permissions } from '../../src/scopes/permissions.ts'

/**
 * Whether a scope allows a permission, taken literally from docs/specification/scopes.md: the table of scopes,
 * `#management-reads` and `#strict-reads`.
 */
export function scopeAllows(scope: string, permission: string, method: string): boolean {
  const { access, strict = false } = permissions.get(permission)!
  const resource = permission.split('.')[0]!
  // "`*`: Everything that the user may do."
  if (scope === '*') return true
  // "`<resource>:write`: Changing and reading the resource."
  if (scope === `${resource}:write`) return true
  // A scope of another resource never applies.
  if (scope !== `${resource}:read` && scope !== '*:read') return false
  // "A strict read needs the write scope of its resource."
  if (strict) return false
  // "The read scope of a resource, and `*:read`, also cover a GET or HEAD request that a management permission guards."
  return access === 'read' || method === 'GET' || method === 'HEAD'
}

/**
 * Every permission of an account-level role except own personal keys (docs/specification/scopes.md#roles).
 */
const accountResources = new Set([
  'accounts',
  'sites',
  'databases',
  'dns',
  'mail',
  'backups',
  'storage',
  'sftp',
  'jobs',
])
const ownKeys = ['apikeys.read', 'apikeys.create']
const names = [...permissions.keys()]
const ofAccounts = names.filter((name) => accountResources.has(name.split('.')[0]!))
const plainReads = names.filter((name) => {
  const { access, strict = false } = permissions.get(name)!
  return access === 'read' && !strict
})

/** What each role permits (docs/specification/scopes.md#roles). */
export const specifiedRoles: Readonly<Record<string, readonly string[]>> = {
  admin: names,
  support: [...plainReads, 'apikeys.create'],
  reseller: [...ofAccounts, ...ownKeys],
  customer: [...ofAccounts.filter((name) => name !== 'accounts.manage'), ...ownKeys],
}
