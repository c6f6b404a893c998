import { hash } from 'node:crypto'
import { rolesPermit, type Role } from '../scopes/roles.ts'

/** What of the person who approved decides whether the approval still holds. */
export interface Approver {
  /** Neither deactivated nor deleted, in a living organization. */
  readonly active: boolean
  readonly roles: readonly Role[]
  readonly passwordHash: string | null
  /** Whether the session in which the person approved has not been ended. */
  readonly sessionLives: boolean
}

/**
 * Marks the password that an approver has when it approves, so that one who took the account over by an
 * old password gets nothing once it is changed. 32 bytes; of a salted hash, so it gives nothing away.
 */
export const markOfPassword = (passwordHash: string | null): Buffer =>
  hash('sha256', `approver:v1:${passwordHash ?? ''}`, 'buffer')

/**
 * Whether an approval still holds when the key is made: the approver is active, may make keys, has the same
 * password, and has not ended the session. Deactivating a person ends their sessions for good.
 *
 * @param mark - what {@link markOfPassword} gave at the approval.
 */
export const approvalHolds = (
  { active, roles, passwordHash, sessionLives }: Approver,
  mark: Uint8Array,
): boolean =>
  active &&
  sessionLives &&
  rolesPermit(roles, 'apikeys.create') &&
  markOfPassword(passwordHash).equals(mark)
