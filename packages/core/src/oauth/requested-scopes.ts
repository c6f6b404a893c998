import { isScope, type Scope } from '../scopes/scopes.ts'

/** The scopes that a client requests; `null`: it requests no limit. Or the one that is unknown. */
export type RequestedScopes =
  | { readonly scopes: readonly Scope[] | null }
  | { readonly unknown: string }

/**
 * The scopes of OpenID Connect (Core, sections 5.4 and 11). Clients add them to every request. They grant nothing here.
 */
const openIdScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
])

/**
 * Reads a `scope` (RFC 6749, section 3.3): names of scopes, separated by spaces. Repetitions and the scopes of OpenID
 * Connect are left out.
 */
export function readRequestedScopes(text: string): RequestedScopes {
  const names = text.split(' ').filter((name) => name !== '' && !openIdScopes.has(name))
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) return { unknown }
  return { scopes: names.length === 0 ? null : [...new Set(names as Scope[])] }
}
