import { isSameHash } from './token.ts'
import { allowlistPermits, type Allowlist } from './allowlist.ts'

/** What of a key decides whether a request may use it. */
export interface KeyFacts {
  /** Not revoked, and its user active. */
  readonly usable: boolean
  readonly expiresAt: Date | null
  readonly secrets: readonly { readonly hash: Uint8Array; readonly expiresAt: Date | null }[]
  readonly allowlist: Allowlist
}

/** What a key's facts say of a request. */
export interface KeyVerdict {
  /** Whether the secret is one of the key's valid ones: only then is anything of the key revealed or counted. */
  readonly proven: boolean
  readonly refusal: 'invalid_api_key' | 'api_key_ip_denied' | undefined
}

/**
 * Judges a request by its secret and address (docs/specification/requests.md#order-of-checks). Ends are
 * compared at every request, to the moment. Every hash is compared, so that the time tells nothing.
 *
 * @param request - `hashes`: that the secret that was sent may be stored under, 32 bytes each; `ip`: the client's address.
 */
export function judgeKey(
  { usable, expiresAt, secrets, allowlist }: KeyFacts,
  { hashes, ip, now }: { hashes: readonly Uint8Array[]; ip: string; now: Date },
): KeyVerdict {
  let proven = false
  for (const secret of secrets) {
    const valid = !secret.expiresAt || secret.expiresAt > now
    for (const hash of hashes) if (isSameHash(secret.hash, hash) && valid) proven = true
  }
  if (!proven) return { proven: false, refusal: 'invalid_api_key' }
  if (!usable || (expiresAt && expiresAt <= now))
    return { proven: true, refusal: 'invalid_api_key' }
  if (!allowlistPermits(allowlist, ip)) return { proven: true, refusal: 'api_key_ip_denied' }
  return { proven: true, refusal: undefined }
}
