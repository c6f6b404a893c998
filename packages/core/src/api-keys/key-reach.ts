import { scopesCover, type Scope } from '../scopes/scopes.ts'
import { allowlistCovers, type Allowlist } from './allowlist.ts'

/** The key fields that determine its reach. */
export interface KeyReach {
  readonly kind: 'personal' | 'organization'
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly allowlist: Allowlist
  readonly rateLimitPerMinute: number
}

/**
 * Compares a key, as it would be after a request, with the key that makes the request.
 *
 * @returns the first aspect in which the target is wider than the caller, or `undefined`.
 */
export function widerAspect(
  caller: KeyReach,
  target: KeyReach,
): 'kind' | 'scopes' | 'expires_at' | 'ip_allowlist' | 'rate_limit_per_minute' | undefined {
  if (caller.kind === 'organization' && target.kind === 'personal') return 'kind'
  if (!target.scopes.every((scope) => scopesCover(caller.scopes, scope))) return 'scopes'
  if (caller.expiresAt && (!target.expiresAt || target.expiresAt > caller.expiresAt)) {
    return 'expires_at'
  }
  if (!allowlistCovers(caller.allowlist, target.allowlist)) return 'ip_allowlist'
  if (target.rateLimitPerMinute > caller.rateLimitPerMinute) return 'rate_limit_per_minute'
  return undefined
}
