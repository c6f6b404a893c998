import { clientNetwork } from '../network/client-network.ts'
import type { Role } from '../scopes/roles.ts'
import type { SecurityPolicy } from '../sessions/security-policy.ts'

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
