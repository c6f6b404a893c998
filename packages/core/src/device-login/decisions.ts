import { minuteMs } from '../clock/durations.ts'
import { clientNetwork } from '../network/client-address.ts'
import { type Role, rolesPermit } from '../scopes/roles.ts'
import type { SecurityPolicy } from '../sessions/security-policy.ts'
import { isVisibleText, visibleTextMessage } from '../text/visible-text.ts'
import {
  clientNameLengthMax,
  deviceCodeLifetimeMs,
  devicePendingMax,
  deviceStartsPerMinute,
  wrongUserCodesMax,
  wrongUserCodeWindowMs,
} from './limits.ts'
import { hash } from 'node:crypto'

/** The fields of an earlier device login of the same IP address that the limits read. */
export interface EarlierStart {
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Whether it is neither approved nor denied. It no longer counts once it has expired. */
  readonly pending: boolean
}

/** Starts older than this, in ms, count toward no limit. */
export const earlierStartsMs = Math.max(minuteMs, deviceCodeLifetimeMs)

/**
 * Decides whether an IP address may start a device login: at most {@link deviceStartsPerMinute} in any minute, and
 * at most {@link devicePendingMax} pending at a time (docs/specification/device-login.md#start).
 *
 * @returns the longest wait in ms, or `undefined` if the address may start one now. The wait is shorter if a
 *   pending login is decided in the meantime.
 */
export function decideDeviceStart(earlier: readonly EarlierStart[], now: Date): number | undefined {
  const startsEnd = earlier.map(({ createdAt }) => createdAt.getTime() + minuteMs)
  const pendingEnd = earlier
    .filter(({ pending }) => pending)
    .map(({ expiresAt }) => expiresAt.getTime())
  const waits = [
    waitMs(startsEnd, { max: deviceStartsPerMinute, now }),
    waitMs(pendingEnd, { max: devicePendingMax, now }),
  ]
  const longest = Math.max(...waits)
  return longest > 0 ? longest : undefined
}

/**
 * The time until fewer than `max` entries count, in ms; 0 if that is already so.
 *
 * @param ends - when each entry stops counting, as Unix time in ms.
 */
export function waitMs(ends: readonly number[], { max, now }: { max: number; now: Date }): number {
  const nowMs = now.getTime()
  const counting = ends.filter((end) => end > nowMs).toSorted((a, b) => a - b)
  return counting.length < max ? 0 : counting[counting.length - max]! - nowMs
}

/**
 * Decides whether a person may enter a user code. After {@link wrongUserCodesMax} wrong codes within
 * {@link wrongUserCodeWindowMs} every code is refused, even a correct one (docs/specification/device-login.md#approval).
 *
 * @param wrongAt - when the person entered wrong codes.
 * @returns the wait in ms, or `undefined` if the person may enter a code now.
 */
export function decideUserCodeGuess(wrongAt: readonly Date[], now: Date): number | undefined {
  const ends = wrongAt.map((at) => at.getTime() + wrongUserCodeWindowMs)
  const wait = waitMs(ends, { max: wrongUserCodesMax, now })
  return wait > 0 ? wait : undefined
}

/** A valid client name, or the error. */
export type ClientName = { readonly name: string } | { readonly error: string }

/**
 * Validates the name that a client sends. It is shown to the approver and becomes the name of the key.
 *
 * @returns the trimmed name, or the error as a sentence without its subject.
 */
export function readClientName(given: string): ClientName {
  if (!isVisibleText(given)) return { error: visibleTextMessage }
  const name = given.trim()
  if (Array.from(name).length > clientNameLengthMax) {
    return {
      error: `must have 1 to ${clientNameLengthMax} characters, not counting spaces at its ends`,
    }
  }
  return { name }
}

/** The policies that deny a device login, with the sentence that says so to the person at the device. */
export const denialCauses = {
  off: 'The security policy of the organization does not allow device logins.',
  not_admin:
    'The security policy of the organization allows only administrators to approve device logins.',
  other_network:
    'The security policy of the organization requires that a device login is approved from the network of the device.',
  second_factor:
    'The security policy of the organization requires a second factor, and the session that approved this device login lacks it.',
  key_policy: 'The key policy of the organization does not allow keys of device logins.',
} as const

/** The name of one of {@link denialCauses}. */
export type DenialCause = keyof typeof denialCauses

/** Who approves a device login, and from where. */
export interface Approval {
  readonly roles: readonly Role[]
  /** The address of the approver. */
  readonly ip: string
  /** The address that requested the code. */
  readonly requestedFrom: string
}

/**
 * Checks an approval of a device login against the security policy (docs/specification/device-login.md#approval).
 *
 * @returns why the policy denies it, or `undefined`.
 */
export function checkApproval(
  { deviceLogin, deviceLoginSameNetwork }: SecurityPolicy,
  { roles, ip, requestedFrom }: Approval,
): Exclude<DenialCause, 'second_factor' | 'key_policy'> | undefined {
  if (deviceLogin === 'off') return 'off'
  if (deviceLogin === 'admins' && !roles.includes('admin')) return 'not_admin'
  const isOther = clientNetwork(ip) !== clientNetwork(requestedFrom)
  return deviceLoginSameNetwork && isOther ? 'other_network' : undefined
}

/** The fields of the approver that decide whether the approval is still valid. */
export interface Approver {
  /** The person is neither deactivated nor deleted, and the organization is not deleted. */
  readonly active: boolean
  readonly roles: readonly Role[]
  readonly passwordHash: string | null
  /** Whether the session of the approval has not been revoked. */
  readonly sessionLives: boolean
}

/**
 * A fingerprint of the approver's password at the time of approval, 32 bytes. It invalidates the approval when
 * the password changes, so that an attacker with the old password gets no key. It is derived from a salted hash
 * and does not reveal the password.
 */
export const passwordFingerprint = (passwordHash: string | null): Buffer =>
  hash('sha256', `approver:v1:${passwordHash ?? ''}`, 'buffer')

/**
 * Whether an approval is still valid when the key is created: the approver is active, may create keys, has the
 * same password, and has not ended the session. Deactivating a person ends their sessions permanently.
 *
 * @param mark - the result of {@link passwordFingerprint} at the approval.
 */
export const approvalHolds = (
  { active, roles, passwordHash, sessionLives }: Approver,
  mark: Uint8Array,
): boolean =>
  active &&
  sessionLives &&
  rolesPermit(roles, 'apikeys.create') &&
  passwordFingerprint(passwordHash).equals(mark)
