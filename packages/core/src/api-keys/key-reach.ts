import { endsBy } from '../clock/index.ts'
import { scopesCover, type Scope } from '../scopes/scopes.ts'
import { allowlistCovers, type Allowlist } from './allowlist.ts'

/** The key fields that determine its reach. */
export interface KeyReach {
  readonly kind: 'personal' | 'organization'
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly allowlist: Allowlist
  readonly rateLimitPerMinute: number
  /** The ids of the accounts that the key is limited to; `null` if it is not limited. */
  readonly accounts: readonly string[] | null
}

/** A field that can be wider than the caller's. */
export type WiderAspect =
  | 'kind'
  | 'scopes'
  | 'expires_at'
  | 'ip_allowlist'
  | 'accounts'
  | 'rate_limit_per_minute'

/**
 * Compares a key, as it would be after a request, with the key that makes the request.
 *
 * @returns the first aspect in which the target is wider than the caller, or `undefined`.
 */
export function widerAspect(caller: KeyReach, target: KeyReach): WiderAspect | undefined {
  if (caller.kind === 'organization' && target.kind === 'personal') return 'kind'
  if (!target.scopes.every((scope) => scopesCover(caller.scopes, scope))) return 'scopes'
  if (!endsBy(target.expiresAt, caller.expiresAt)) return 'expires_at'
  if (!allowlistCovers(caller.allowlist, target.allowlist)) return 'ip_allowlist'
  if (!accountsCover(caller.accounts, target.accounts)) return 'accounts'
  if (target.rateLimitPerMinute > caller.rateLimitPerMinute) return 'rate_limit_per_minute'
  return undefined
}

function accountsCover(outer: readonly string[] | null, inner: readonly string[] | null): boolean {
  if (outer === null) return true
  return inner !== null && inner.every((id) => outer.includes(id))
}
