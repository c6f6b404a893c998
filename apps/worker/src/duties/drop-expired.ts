import { revocationLimit } from '@hosting/core/api-keys'
import { wrongUserCodeWindowMs } from '@hosting/core/device-login'
import {
  dropExpiredIdentityTokens,
  dropOldSubjects,
  eraseExpiredSecrets,
} from '@hosting/postgres/api-keys'
import { dropOldDeviceLogins } from '@hosting/postgres/device-login'
import { dropExpiredIdempotency } from '@hosting/postgres/idempotency'
import { dropOldNotices } from '@hosting/postgres/notices'
import { dropOldCalls } from '@hosting/postgres/rate-limit'
import {
  dropEndedSessions,
  dropExpiredFormDrafts,
  dropExpiredNonces,
  dropExpiredPendingSignIns,
  dropForgottenTries,
  dropOldSignInLinks,
} from '@hosting/postgres/sessions'
import { dropOldIncidents, dropOldRecoveries } from '@hosting/postgres/webhooks'
import type { Duty } from './duty.ts'

/** Notices per statement. */
const noticesMax = 1_000

/**
 * Deletes expired responses of idempotent requests, forms of the panel, ended sessions, old recoveries, incidents,
 * notices, device logins, sign-in links, pending sign-ins, used challenges and `state` values,
 * failed sign-ins that no longer delay anyone, counted calls, exchanged identity tokens and old subjects of
 * workload keys. Erases secrets whose overlap period has ended.
 */
export const dropExpired: Duty = {
  name: 'drop-expired',
  everyMs: 10_000,
  deletesByAge: true,
  async run({ database }, stopping) {
    await dropExpiredIdempotency(database)
    await eraseExpiredSecrets(database)
    await dropOldRecoveries(database)
    await dropOldIncidents(database)
    await dropEndedSessions(database)
    await dropForgottenTries(database)
    await dropOldSignInLinks(database)
    await dropExpiredPendingSignIns(database)
    await dropExpiredNonces(database)
    await dropExpiredIdentityTokens(database)
    await dropOldSubjects(database)
    await dropExpiredFormDrafts(database)
    await dropOldDeviceLogins(database, wrongUserCodeWindowMs)
    await dropOldNotices(database, noticesMax, stopping)
    await dropOldCalls(database, revocationLimit.windowMs)
  },
}
