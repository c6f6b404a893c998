import { hash } from 'node:crypto'
import { rolesPermit, type Role } from '../scopes/roles.ts'

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
