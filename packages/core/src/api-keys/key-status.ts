import { isStillValid } from '../clock/index.ts'

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
