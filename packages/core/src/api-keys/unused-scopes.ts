import { scopeCovers, type Scope } from '../scopes/index.ts'
import { dayMs } from '../clock/index.ts'
import { scopeUsesKeptDays } from './limits.ts'

/** When a request last needed a scope: a day in UTC. */
export interface ScopeUse {
  readonly scope: string
  readonly lastUsedOn: Date
}

/**
 * Returns the scopes of a key that no request has needed for 30 days, or null if its requests have not been counted for
 * so long (docs/specification/api-keys.md#uses). If several scopes cover what a request needed, it needed the narrowest.
 *
 * @param countedFrom - since when the scopes that its requests need are recorded.
 * @param uses - the scopes that requests needed, as {@link neededScope} names them.
 */
export function unusedScopes(
  { scopes, countedFrom, uses }: UsedScopes,
  now: Date,
): readonly Scope[] | null {
  const sinceMs = now.getTime() - scopeUsesKeptDays * dayMs
  if (countedFrom.getTime() > sinceMs) return null
  const recent = uses.filter(({ lastUsedOn }) => lastUsedOn.getTime() + dayMs > sinceMs)
  const needed = new Set(recent.map(({ scope }) => narrowest(scopes, scope as Scope)))
  return scopes.filter((scope) => !needed.has(scope))
}

/** The scopes of a key, and what its requests needed. */
export interface UsedScopes {
  readonly scopes: readonly Scope[]
  readonly countedFrom: Date
  readonly uses: readonly ScopeUse[]
}

/** The narrowest scope that covers the needed one: of its resource, of all reads, or of everything. */
const narrowest = (held: readonly Scope[], needed: Scope): Scope | undefined =>
  held
    .filter((scope) => scopeCovers(scope, needed))
    .toSorted((a, b) => breadth(a, needed) - breadth(b, needed))[0]

const breadth = (scope: Scope, needed: Scope): number =>
  scope === needed ? 0 : scope === '*' ? 3 : scope === '*:read' ? 2 : 1
