import { currentTime } from '@hosting/core'
import { revokeSessionsOf, setPassword } from '@hosting/postgres'
import type { SessionCaller } from '../http/caller.ts'
import type { Origin } from './audit.ts'
import { recordChange } from './audit.ts'
import { hashPassword } from './password-hash.ts'

/**
 * Gives the caller a new password, and ends their other sessions. A device login that they approved before
 * is worthless from then on: it remembers the password under which it was approved.
 */
export async function changePassword(
  origin: Origin<SessionCaller>,
  newPassword: string,
): Promise<void> {
  const { caller, work } = origin
  const { id } = caller.user
  await setPassword(work.tx, id, await hashPassword(newPassword))
  await revokeSessionsOf(work.tx, id, { now: currentTime(), exceptId: caller.session.id })
  await recordChange(origin, { action: 'password.change', target: { type: 'user', id } })
}
