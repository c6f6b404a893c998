import { isStillValid } from '../clock/index.ts'
import { isSameHash } from './token.ts'
import { allowlistPermits, type Allowlist } from './allowlist.ts'

/** The key fields that authorization reads. */
export interface KeyState {
  /** The key is not revoked, and its user is active. */
  readonly usable: boolean
  readonly expiresAt: Date | null
  readonly secrets: readonly KeySecret[]
  readonly allowlist: Allowlist
}

/** A secret of a key. */
export interface KeySecret {
  readonly id: string
  readonly hash: Uint8Array
  readonly expiresAt: Date | null
  /** The id of the secret's lineage; `null` for that of the key's creation. */
  readonly lineageId: string | null
}

/** The result of {@link verifyKey}. */
export interface KeyVerification {
  /** Whether the secret matches a valid one of the key. If not, nothing about the key is revealed or counted. */
  readonly secretMatches: boolean
  /** The id of the secret; `null` if no secret matches. */
  readonly secretId: string | null
  /** The lineage of the secret; `null` if it is that of the key's creation, or if no secret matches. */
  readonly lineageId: string | null
  /** When the secret ends; `null` if it does not, or if no secret matches. */
  readonly secretExpiresAt: Date | null
  readonly refusal: 'invalid_api_key' | 'api_key_ip_denied' | undefined
}

/** The result for a request without a valid secret of the key. */
export const noSecretMatches: KeyVerification = {
  secretMatches: false,
  secretId: null,
  lineageId: null,
  secretExpiresAt: null,
  refusal: 'invalid_api_key',
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
  let match: KeySecret | undefined
  for (const secret of secrets) {
    const valid = isStillValid(secret.expiresAt, now)
    for (const hash of hashes) if (isSameHash(secret.hash, hash) && valid) match = secret
  }
  if (!match) return noSecretMatches
  const { id: secretId, lineageId, expiresAt: secretExpiresAt } = match
  const verified = { secretMatches: true, secretId, lineageId, secretExpiresAt }
  if (!usable || !isStillValid(expiresAt, now)) return { ...verified, refusal: 'invalid_api_key' }
  const refusal = allowlistPermits(allowlist, ip) ? undefined : 'api_key_ip_denied'
  return { ...verified, refusal }
}

/** The statuses of a key (docs/specification/api-keys.md#key-record). */
export const keyStatuses = ['active', 'disabled', 'expired', 'revoked'] as const

/** The status of a key. */
export type KeyStatus = (typeof keyStatuses)[number]

/** Returns the status of a key. If several apply, it is the first of revoked, expired and disabled. */
export function statusOfKey(
  key: { revokedAt: Date | null; expiresAt: Date | null; enabled: boolean },
  now: Date,
): KeyStatus {
  if (key.revokedAt) return 'revoked'
  if (!isStillValid(key.expiresAt, now)) return 'expired'
  return key.enabled ? 'active' : 'disabled'
}
