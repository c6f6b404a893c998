import { advanceRecoveries } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** At this pace an endpoint's dead deliveries come back, 100 a second, however many workers there are. */
const pace = { stepMax: 50, stepMs: 500 }

/** Redelivers dead deliveries where a recovery was asked for. */
export const recover: Duty = {
  name: 'recover',
  everyMs: 250,
  async run({ database }) {
    await advanceRecoveries(database, pace)
  },
}
