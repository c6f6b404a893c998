/** The 22 resources (docs/specification/scopes.md#permissions). */
export const specifiedResources =
  'accounts, alerts, apikeys, audit, backups, databases, dns, jobs, mail, observability, plans, runtime, security, servers, sftp, sites, storage, tenant, updates, users, waitlist, webhooks'.split(
    ', ',
  )

/** A permission in the permission table. */
export interface SpecifiedPermission {
  readonly access: 'read' | 'write'
  readonly strict: boolean
  readonly sessionOnly: boolean
}

const row = (access: 'read' | 'write', mark?: 'strict' | 'session only'): SpecifiedPermission => ({
  access,
  strict: mark === 'strict',
  sessionOnly: mark === 'session only',
})

/** Every permission (docs/specification/scopes.md#permissions). */
export const specifiedPermissions: Readonly<Record<string, SpecifiedPermission>> = {
  ...Object.fromEntries(specifiedResources.map((name) => [`${name}.read`, row('read')])),
  ...Object.fromEntries(specifiedResources.map((name) => [`${name}.manage`, row('write')])),
  'apikeys.create': row('write'),
  'users.impersonate': row('write', 'session only'),
  'jobs.result': row('read', 'strict'),
  'jobs.samples': row('read', 'strict'),
  'accounts.files': row('read', 'strict'),
  'accounts.terminal': row('read', 'strict'),
  'users.invitations': row('read', 'strict'),
  'backups.restore': row('read', 'strict'),
  'backups.download': row('read', 'strict'),
}

/** Every scope (docs/specification/scopes.md#scopes). */
export const specifiedScopes = [
  ...specifiedResources.flatMap((name) => [`${name}:read`, `${name}:write`]),
  '*:read',
  '*',
]

/**
 * Whether a scope allows a permission, taken literally from docs/specification/scopes.md: the table of scopes,
 * `#management-reads` and `#strict-reads`.
 */
export function scopeAllows(scope: string, permission: string, method: string): boolean {
  const { access, strict } = specifiedPermissions[permission]!
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
const names = Object.keys(specifiedPermissions)
const ofAccounts = names.filter((name) => accountResources.has(name.split('.')[0]!))
const plainReads = names.filter((name) => {
  const { access, strict } = specifiedPermissions[name]!
  return access === 'read' && !strict
})

/** What each role permits (docs/specification/scopes.md#roles). */
export const specifiedRoles: Readonly<Record<string, readonly string[]>> = {
  admin: names,
  support: [...plainReads, 'apikeys.create'],
  reseller: [...ofAccounts, ...ownKeys],
  customer: [...ofAccounts.filter((name) => name !== 'accounts.manage'), ...ownKeys],
}
