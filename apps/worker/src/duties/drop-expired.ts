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
import { dropOldSamples } from '@hosting/postgres/operators'
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
 * workload keys, samples of processes, and the uses and the usage of keys. Erases secrets whose overlap period has ended. A step that fails does not keep
 * the others from running.
 */
export const createDropExpired = (): Duty => {
  const stepsOfRound = [
    ...steps,
    createStepOnceIn('day', dropOldKeyUsage),
    createStepOnceIn('hour', dropOldSamples),
  ]
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

/** The length of a time in ISO 8601 up to a unit. */
const lengths = { day: 'YYYY-MM-DD'.length, hour: 'YYYY-MM-DDTHH'.length } as const

/** Runs a step once per day or hour, in UTC: it reads the whole table, or always finds something. */
function createStepOnceIn(unit: keyof typeof lengths, step: Step): Step {
  let doneIn: string | undefined
  return async (database, options) => {
    const current = currentTime().toISOString().slice(0, lengths[unit])
    if (doneIn === current) return 0
    const dropped = await step(database, options)
    if (!options.stopping.aborted) doneIn = current
    return dropped
  }
}
