import { revocationLimit, wrongUserCodeWindowMs } from '@hosting/core'
import {
  dropEndedSessions,
  dropExpiredFormDrafts,
  dropExpiredIdempotency,
  dropForgottenThrottles,
  dropOldDeviceLogins,
  dropOldIncidents,
  dropOldNotices,
  dropOldRecoveries,
  dropOldRevocationAttempts,
  dropOldSignInLinks,
  eraseExpiredSecrets,
} from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Notices that a round deletes. */
const noticesMax = 1_000

/**
 * Deletes expired responses of idempotent requests, forms of the panel, ended sessions, old recoveries, incidents,
 * notices, device logins and sign-in links, failed sign-ins that no longer delay anyone, and counted revocations. Erases secrets
 * whose overlap period has ended.
 */
export const dropExpired: Duty = {
  name: 'drop-expired',
  everyMs: 10_000,
  deletesByAge: true,
  async run({ database }) {
    await dropExpiredIdempotency(database)
    await eraseExpiredSecrets(database)
    await dropOldRecoveries(database)
    await dropOldIncidents(database)
    await dropEndedSessions(database)
    await dropForgottenThrottles(database)
    await dropOldSignInLinks(database)
    await dropExpiredFormDrafts(database)
    await dropOldDeviceLogins(database, wrongUserCodeWindowMs)
    await dropOldNotices(database, noticesMax)
    await dropOldRevocationAttempts(database, revocationLimit.windowMs)
  },
}
