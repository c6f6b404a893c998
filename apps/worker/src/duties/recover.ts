import { failPoint } from '@hosting/core/fail-points'
import { advanceRecoveries } from '@hosting/postgres/webhooks'
import type { Duty } from './duty.ts'

/**
 * With these limits, recoveries redeliver up to 100 deliveries per second for one endpoint, and up
 * to 500 for all endpoints together, regardless of the number of workers.
 */
const pace = { stepMax: 50, stepMs: 500, recoveriesMax: 5 }

/** A running recovery may redeliver nothing in this many rounds, because its next step is not due. */
const quietRoundsMax = 4

/** Redelivers dead deliveries for which a recovery was requested. */
export const createRecover = (): Duty => {
  let quietRounds = 0
  return {
    name: 'recover',
    everyMs: 250,
    idleMs: 500,
    awaits: 'recoveries',
    async run({ database }) {
      const made = await advanceRecoveries(database, pace)
      if (made > 0) failPoint('recovery.step')
      quietRounds = made > 0 ? 0 : quietRounds + 1
      return quietRounds > quietRoundsMax ? 'idle' : undefined
    },
  }
}
