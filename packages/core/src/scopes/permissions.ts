/** The resources (docs/specification/scopes.md#permissions). */
export const resources = [
  'accounts',
  'alerts',
  'apikeys',
  'audit',
  'backups',
  'databases',
  'dns',
  'jobs',
  'mail',
  'observability',
  'plans',
  'runtime',
  'security',
  'servers',
  'sftp',
  'sites',
  'storage',
  'tenant',
  'updates',
  'users',
  'waitlist',
  'webhooks',
] as const

/** A permission resource. */
export type Resource = (typeof resources)[number]

/** Whether a permission reads or writes its resource. */
export type Access = 'read' | 'write'

interface PermissionTraits {
  readonly access: Access
  /** A strict read needs the resource's write scope (docs/specification/scopes.md#strict-reads). */
  readonly strict?: true
  /** Never available with a key, whatever its scopes (docs/specification/scopes.md#session-only). */
  readonly sessionOnly?: true
}

/**
 * The permissions besides `<resource>.read` and `<resource>.manage` (docs/specification/scopes.md#permissions).
 */
const furtherPermissions = {
  'apikeys.create': { access: 'write' },
  'users.impersonate': { access: 'write', sessionOnly: true },
  'jobs.result': { access: 'read', strict: true },
  'jobs.samples': { access: 'read', strict: true },
  'accounts.files': { access: 'read', strict: true },
  'accounts.terminal': { access: 'read', strict: true },
  'users.invitations': { access: 'read', strict: true },
  'backups.restore': { access: 'read', strict: true },
  'backups.download': { access: 'read', strict: true },
} as const satisfies Record<string, PermissionTraits>

/** A permission's name: `<resource>.<action>`. */
export type PermissionName = `${Resource}.${'read' | 'manage'}` | keyof typeof furtherPermissions

/** A permission that a key can have. */
export type KeyPermissionName = Exclude<PermissionName, SessionPermissionName>

type SessionPermissionName = {
  [Name in keyof typeof furtherPermissions]: (typeof furtherPermissions)[Name] extends {
    sessionOnly: true
  }
    ? Name
    : never
}[keyof typeof furtherPermissions]

/** One row of the permission table. */
export interface Permission extends PermissionTraits {
  readonly name: PermissionName
  readonly resource: Resource
}

/** The permission table: the only place that lists permissions (docs/specification/scopes.md#permissions). */
export const permissions: ReadonlyMap<string, Permission> = new Map(
  [
    ...resources.flatMap((resource): Permission[] => [
      { name: `${resource}.read`, resource, access: 'read' },
      { name: `${resource}.manage`, resource, access: 'write' },
    ]),
    ...Object.entries<PermissionTraits>(furtherPermissions).map(([name, traits]) => ({
      name: name as PermissionName,
      resource: name.split('.')[0] as Resource,
      ...traits,
    })),
  ].map((permission) => [permission.name, permission]),
)

/** The permission with the name. */
export const getPermission = (name: PermissionName): Permission => permissions.get(name)!
