import {
  getPermission,
  permissions,
  type Permission,
  type PermissionName,
  type Resource,
} from './permissions.ts'

/** The roles that a user may have (docs/specification/scopes.md#roles). */
export const roles = ['admin', 'support', 'reseller', 'customer'] as const

/** A role's name. */
export type Role = (typeof roles)[number]

/** The reach of a role: the whole organization, or only the accounts assigned to the user. */
export type RoleLevel = 'organization' | 'accounts'

const accountResources: ReadonlySet<Resource> = new Set([
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

/**
 * Whether a permission is for a resource of an account, so that it applies per account
 * (docs/specification/scopes.md#roles).
 */
export const isOfAccounts = (name: PermissionName): boolean =>
  accountResources.has(getPermission(name).resource)

const ownKeys: ReadonlySet<PermissionName> = new Set(['apikeys.read', 'apikeys.create'])

const ofAccounts = ({ name, resource }: Permission): boolean =>
  accountResources.has(resource) || ownKeys.has(name)

const roleRules: Record<Role, { level: RoleLevel; permits: (permission: Permission) => boolean }> =
  {
    admin: { level: 'organization', permits: () => true },
    support: {
      level: 'organization',
      permits: ({ name, access, strict }) => (access === 'read' && !strict) || ownKeys.has(name),
    },
    reseller: { level: 'accounts', permits: ofAccounts },
    customer: {
      level: 'accounts',
      permits: (permission) => permission.name !== 'accounts.manage' && ofAccounts(permission),
    },
  }

const permittedBy = new Map(
  roles.map((role) => [
    role,
    new Set([...permissions.values()].filter(roleRules[role].permits).map(({ name }) => name)),
  ]),
)

/** Whether any of the roles has the permission, at either level. */
export const rolesPermit = (held: readonly Role[], name: PermissionName): boolean =>
  held.some((role) => permittedBy.get(role)!.has(name))

/** Whether a role of organization level has the permission. */
export const rolesPermitOrganizationWide = (held: readonly Role[], name: PermissionName): boolean =>
  rolesPermit(
    held.filter((role) => roleRules[role].level === 'organization'),
    name,
  )

/** Whether any of the roles has the permission, and it applies to accounts or to the user's own keys. */
export const rolesPermitWithinAccounts = (held: readonly Role[], name: PermissionName): boolean =>
  ofAccounts(getPermission(name)) && rolesPermit(held, name)

/** Every permission that the roles have, in the order of the table. */
export const permissionsOfRoles = (held: readonly Role[]): PermissionName[] =>
  [...permissions.values()].map(({ name }) => name).filter((name) => rolesPermit(held, name))

/** Whether the roles reach every account of the organization, or only those assigned to the user. */
export const reachesAllAccounts = (held: readonly Role[]): boolean =>
  held.some((role) => roleRules[role].level === 'organization')
