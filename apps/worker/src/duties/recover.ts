import { advanceRecoveries } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/**
 * At this pace the dead deliveries of an endpoint come back at 100 a second, and those of all endpoints together at
 * 500 a second, however many workers there are.
 */
const pace = { stepMax: 50, stepMs: 500, recoveriesMax: 5 }

/** Redelivers dead deliveries where a recovery was asked for. */
export const recover: Duty = {
  name: 'recover',
  everyMs: 250,
  async run({ database }) {
    await advanceRecoveries(database, pace)
  },
}
