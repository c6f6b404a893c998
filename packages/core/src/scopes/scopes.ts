import {
  permissions,
  resources,
  type Permission,
  type PermissionName,
  type Resource,
} from './permissions.ts'

/** A scope of a key (docs/specification/scopes.md#scopes). There is no `*:write`. */
export type Scope = '*' | '*:read' | `${Resource}:${'read' | 'write'}`

/** Every scope: two for each resource, `*:read` and `*`. */
export const scopes: readonly Scope[] = [
  ...resources.flatMap((resource): Scope[] => [`${resource}:read`, `${resource}:write`]),
  '*:read',
  '*',
]

const known: ReadonlySet<string> = new Set(scopes)

/** Whether the text is a scope. */
export const isScope = (text: string): text is Scope => known.has(text)

/**
 * The narrowest scope that a key needs for a permission. A strict read needs the write scope.
 *
 * @param method - the method of the request. With GET and HEAD, a management permission counts as a read, so the
 *   read scope covers it (docs/specification/scopes.md#management-reads).
 */
export function neededScope({ resource, access, strict }: Permission, method: string): Scope {
  const reads = access === 'read' || method === 'GET' || method === 'HEAD'
  return `${resource}:${reads && !strict ? 'read' : 'write'}`
}

/**
 * Whether one scope covers another: write covers read, `*:read` every read, `*` everything.
 *
 * The oracle of the tests is `scopeAllows` of packages/core/test/scopes/oracle.ts.
 */
export function scopeCovers(held: Scope, needed: Scope): boolean {
  if (held === '*' || held === needed) return true
  if (held === '*:read') return needed.endsWith(':read')
  return held.endsWith(':write') && needed === `${held.slice(0, -':write'.length)}:read`
}

/** Whether any of the key's scopes covers the needed one. */
export const scopesCover = (held: readonly Scope[], needed: Scope): boolean =>
  held.some((scope) => scopeCovers(scope, needed))

/**
 * The permissions that a scope covers, in the order of the table, without those that no key can have. Assumes a `POST`.
 * Reading with a manage permission may need only the read scope, see {@link neededScope}.
 */
export const permissionsOfScope = (scope: Scope): PermissionName[] =>
  [...permissions.values()]
    .filter(
      (permission) =>
        !permission.sessionOnly && scopeCovers(scope, neededScope(permission, 'POST')),
    )
    .map(({ name }) => name)

/** Returns the narrowest scopes that cover exactly what both lists cover. */
export function intersectScopes(one: readonly Scope[], other: readonly Scope[]): Scope[] {
  const common = new Set(one.flatMap((a) => other.flatMap((b) => commonOf(a, b) ?? [])))
  return [...common].filter(
    (scope) => ![...common].some((wider) => wider !== scope && scopeCovers(wider, scope)),
  )
}

/** What two scopes both cover: the narrower one, or the read scope of a resource; `undefined` if there is nothing. */
function commonOf(a: Scope, b: Scope): Scope | undefined {
  if (scopeCovers(a, b)) return b
  if (scopeCovers(b, a)) return a
  const read = (a === '*:read' ? b : b === '*:read' ? a : '').replace(/:write$/, ':read')
  return isScope(read) ? read : undefined
}
