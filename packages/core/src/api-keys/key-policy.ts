import { deviceKeyLifetimeMs } from '../device-login/limits.ts'
import { parseNetwork } from '../network/networks.ts'
import type { FieldError } from '../problems/problem.ts'
import { allowlistCovers, toAllowlist, type Allowlist } from './allowlist.ts'
import { dayMs, endsBy } from '../clock/index.ts'

/** What an organization requires of its keys (docs/specification/api-keys.md#key-policy). */
export interface KeyPolicy {
  /** The longest time from creation to expiry, in days. Null: a key need not expire. */
  readonly maxLifetimeDays: number | null
  readonly ipAllowlistRequired: boolean
  readonly personalKeysAllowed: boolean
}

/** The members of a key that a policy restricts. */
export interface RestrictedKey {
  readonly kind: 'personal' | 'organization'
  readonly createdAt: Date
  readonly expiresAt: Date | null
  /** Its IP allowlist; empty or null for none. */
  readonly ipAllowlist: readonly string[] | null
}

/** Maximum of {@link KeyPolicy.maxLifetimeDays}. */
export const keyLifetimeDaysMax = 3_650

/** A key that expires within this number of days needs attention. */
export const keyExpiresSoonDays = 7

/** The policy of an organization that has set none. */
export const openKeyPolicy: KeyPolicy = {
  maxLifetimeDays: null,
  ipAllowlistRequired: false,
  personalKeysAllowed: true,
}

/** Checks a key against a policy. Returns one error for each member that violates it. */
export function checkKeyPolicy(policy: KeyPolicy, key: RestrictedKey): FieldError[] {
  const { maxLifetimeDays, ipAllowlistRequired, personalKeysAllowed } = policy
  return [
    ...(key.kind === 'personal' && !personalKeysAllowed
      ? [{ pointer: '/kind', message: 'must be organization: personal keys are not allowed' }]
      : []),
    ...(maxLifetimeDays === null || endsBy(key.expiresAt, lastEnd(key, maxLifetimeDays))
      ? []
      : [{ pointer: '/expires_at', message: lifetimeError(maxLifetimeDays) }]),
    ...(ipAllowlistRequired ? allowlistErrors(toAllowlist(key.ipAllowlist)) : []),
  ]
}

/** A list that allows every IPv4 or every IPv6 address restricts nothing. */
function allowlistErrors(list: Allowlist): FieldError[] {
  const pointer = '/ip_allowlist'
  if (list === null) return [{ pointer, message: 'must have at least one entry' }]
  return everyAddress.some((family) => allowlistCovers(list, [family]))
    ? [{ pointer, message: 'must not allow every IPv4 or every IPv6 address' }]
    : []
}

const everyAddress = ['0.0.0.0/0', '::/0'].map(parseNetwork)

const lastEnd = ({ createdAt }: RestrictedKey, days: number): Date =>
  new Date(createdAt.getTime() + days * dayMs)

const lifetimeError = (days: number): string =>
  `must be at most ${days === 1 ? '1 day' : `${days} days`} after the creation of the key`

/** The lifetime of a key that a device login creates under a policy, in ms. */
export const deviceKeyLifetimeMsOf = ({ maxLifetimeDays }: KeyPolicy): number =>
  Math.min(deviceKeyLifetimeMs, (maxLifetimeDays ?? Infinity) * dayMs)
