import { revocationLimit, wrongUserCodeWindowMs } from '@hosting/core'
import {
  dropEndedSessions,
  dropExpiredIdempotency,
  dropForgottenThrottles,
  dropOldDeviceRequests,
  dropOldRecoveries,
  dropOldRevocationAttempts,
  eraseExpiredSecrets,
} from '@hosting/postgres'
import type { Duty } from './duty.ts'

/**
 * Forgets answers to idempotent requests past their day, ended sessions, old recoveries and device logins,
 * failures that no longer slow anybody down and counted revocations, and erases secrets whose grace ended.
 */
export const dropExpired: Duty = {
  name: 'drop-expired',
  everyMs: 10_000,
  deletesByAge: true,
  async run({ database }) {
    await dropExpiredIdempotency(database)
    await eraseExpiredSecrets(database)
    await dropOldRecoveries(database)
    await dropEndedSessions(database)
    await dropForgottenThrottles(database)
    await dropOldDeviceRequests(database, wrongUserCodeWindowMs)
    await dropOldRevocationAttempts(database, revocationLimit.windowMs)
  },
}
