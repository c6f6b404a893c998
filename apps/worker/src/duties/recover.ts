import { advanceRecoveries } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/**
 * At this pace the dead deliveries of an endpoint come back at 100 a second, and those of all endpoints together at
 * 500 a second, however many workers there are.
 */
const pace = { stepMax: 50, stepMs: 500, recoveriesMax: 5 }

/** Rounds in which a running recovery may make nothing, as its next step is not due. */
const quietRoundsMax = 4

/** Redelivers dead deliveries where a recovery was asked for. */
export const createRecover = (): Duty => {
  let quietRounds = 0
  return {
    name: 'recover',
    everyMs: 250,
    idleMs: 1_000,
    async run({ database }) {
      const made = await advanceRecoveries(database, pace)
      quietRounds = made > 0 ? 0 : quietRounds + 1
      return quietRounds > quietRoundsMax ? 'idle' : undefined
    },
  }
}
