import { isSameHash } from './token.ts'
import { allowlistPermits, type Allowlist } from './allowlist.ts'

/** The key fields that authorization reads. */
export interface KeyFacts {
  /** The key is not revoked, and its user is active. */
  readonly usable: boolean
  readonly expiresAt: Date | null
  readonly secrets: readonly { readonly hash: Uint8Array; readonly expiresAt: Date | null }[]
  readonly allowlist: Allowlist
}

/** The result of {@link judgeKey}. */
export interface KeyVerdict {
  /** Whether the secret matches a valid one of the key. If not, nothing about the key is revealed or counted. */
  readonly proven: boolean
  readonly refusal: 'invalid_api_key' | 'api_key_ip_denied' | undefined
}

/**
 * Verifies the secret and the address of a request (docs/specification/requests.md#order-of-checks). Every
 * request checks the expiry times to the millisecond. All hashes are compared, so that timing reveals nothing.
 *
 * @param request - `hashes`: the hashes under which the sent secret may be stored, 32 bytes each; `ip`: the
 *   client's address.
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
