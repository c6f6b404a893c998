import { isSameHash } from './token.ts'
import { allowlistPermits, type Allowlist } from './allowlist.ts'

/** The key fields that authorization reads. */
export interface KeyState {
  /** The key is not revoked, and its user is active. */
  readonly usable: boolean
  readonly expiresAt: Date | null
  readonly secrets: readonly { readonly hash: Uint8Array; readonly expiresAt: Date | null }[]
  readonly allowlist: Allowlist
}

/** The result of {@link verifyKey}. */
export interface KeyVerification {
  /** Whether the secret matches a valid one of the key. If not, nothing about the key is revealed or counted. */
  readonly secretMatches: boolean
  readonly refusal: 'invalid_api_key' | 'api_key_ip_denied' | undefined
}

/**
 * Verifies the secret and the address of a request (docs/specification/requests.md#order-of-checks). Every
 * request checks the expiry times to the millisecond. All hashes are compared, so that timing reveals nothing.
 *
 * @param request - `hashes`: the hashes under which the sent secret may be stored, 32 bytes each; `ip`: the
 *   client's address.
 */
export function verifyKey(
  { usable, expiresAt, secrets, allowlist }: KeyState,
  { hashes, ip, now }: { hashes: readonly Uint8Array[]; ip: string; now: Date },
): KeyVerification {
  let secretMatches = false
  for (const secret of secrets) {
    const valid = !secret.expiresAt || secret.expiresAt > now
    for (const hash of hashes) if (isSameHash(secret.hash, hash) && valid) secretMatches = true
  }
  if (!secretMatches) return { secretMatches: false, refusal: 'invalid_api_key' }
  if (!usable || (expiresAt && expiresAt <= now))
    return { secretMatches: true, refusal: 'invalid_api_key' }
  if (!allowlistPermits(allowlist, ip)) return { secretMatches: true, refusal: 'api_key_ip_denied' }
  return { secretMatches: true, refusal: undefined }
}
