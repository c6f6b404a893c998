import { isScope, scopeCovers, type Scope } from './scopes.ts'

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
