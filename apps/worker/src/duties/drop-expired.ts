import { revocationLimit } from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import { wrongUserCodeWindowMs } from '@hosting/core/device-login'
import {
  dropExpiredIdentityTokens,
  dropOldKeyUsage,
  dropOldKeyUses,
  dropOldWorkloads,
  eraseExpiredSecrets,
} from '@hosting/postgres/api-keys'
import { dropOldDeviceLogins, dropOldWrongCodes } from '@hosting/postgres/device-login'
import { dropExpiredIdempotency } from '@hosting/postgres/idempotency'
import { dropEndedPauses, dropOldNotices } from '@hosting/postgres/notices'
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
import type { Services } from '../services.ts'
import type { Duty } from './duty.ts'

/** Deletes the rows of a table in batches, and ends after a batch when the worker stops. */
type Step = (
  database: Services['database'],
  options: { readonly stopping: AbortSignal },
) => Promise<number>

const steps: readonly Step[] = [
  dropExpiredIdempotency,
  eraseExpiredSecrets,
  dropOldRecoveries,
  dropOldIncidents,
  dropEndedSessions,
  dropForgottenTries,
  dropOldSignInLinks,
  dropExpiredPendingSignIns,
  dropExpiredNonces,
  dropExpiredIdentityTokens,
  dropOldWorkloads,
  dropOldKeyUses,
  dropExpiredFormDrafts,
  dropOldDeviceLogins,
  (database, options) => dropOldWrongCodes(database, wrongUserCodeWindowMs, options),
  dropOldNotices,
  dropEndedPauses,
  (database, options) => dropOldCalls(database, revocationLimit.windowMs, options),
]

/**
 * Deletes expired responses of idempotent requests, forms of the panel, ended sessions, old recoveries, incidents,
 * notices, pauses of mails, device logins, sign-in links, pending sign-ins, used challenges and `state` values,
 * failed sign-ins that no longer delay anyone, counted calls, exchanged identity tokens, old subjects of
 * workload keys, and the uses and the usage of keys. Erases secrets whose overlap period has ended. A step that fails does not keep
 * the others from running.
 */
export const createDropExpired = (): Duty => {
  const stepsOfRound = [...steps, createDailyStep(dropOldKeyUsage)]
  return {
    name: 'drop-expired',
    everyMs: 10_000,
    idleMs: 60_000,
    deletesByAge: true,
    async run({ database }, stopping) {
      const errors: unknown[] = []
      let total = 0
      for (const step of stepsOfRound) {
        if (stopping.aborted) break
        total += await step(database, { stopping }).catch((error: unknown) => {
          errors.push(error)
          return 0
        })
      }
      if (errors.length > 0) throw errors[0]
      return total === 0 ? 'idle' : undefined
    },
  }
}

/** Runs a step once per day, in UTC: what it deletes expires by the day, and it reads the whole table. */
function createDailyStep(step: Step): Step {
  let doneOn: string | undefined
  return async (database, options) => {
    const today = currentTime().toISOString().slice(0, 10)
    if (doneOn === today) return 0
    const dropped = await step(database, options)
    if (!options.stopping.aborted) doneOn = today
    return dropped
  }
}
