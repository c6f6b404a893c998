import { clientNetwork } from '../network/client-address.ts'
import { type Role, rolesPermit } from '../scopes/roles.ts'
import type { SecurityPolicy } from '../sessions/security-policy.ts'
import { hash } from 'node:crypto'

/** Why a security policy refuses an approval, with the sentence that says so to the person at the device. */
export const approvalRefusals = {
  off: 'The security policy of the organization does not allow device logins.',
  not_admin:
    'The security policy of the organization allows only administrators to approve device logins.',
  other_network:
    'The security policy of the organization requires that a device login is approved from the network of the device.',
  second_factor:
    'The security policy of the organization requires a second factor, and the session that approved this device login lacks it.',
  key_policy: 'The key policy of the organization does not allow keys of device logins.',
} as const

/** The name of one of {@link approvalRefusals}. */
export type ApprovalRefusal = keyof typeof approvalRefusals

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
 * @returns why the policy refuses it, or `undefined`.
 */
export function checkApproval(
  { deviceLogin, deviceLoginSameNetwork }: SecurityPolicy,
  { roles, ip, requestedFrom }: Approval,
): Exclude<ApprovalRefusal, 'second_factor' | 'key_policy'> | undefined {
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
