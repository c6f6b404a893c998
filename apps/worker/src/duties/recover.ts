import { advanceRecoveries } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** With the time between rounds, the pace at which an endpoint's dead deliveries come back: 100 a second. */
const stepMax = 50

/** Redelivers dead deliveries where a recovery was asked for. */
export const recover: Duty = {
  name: 'recover',
  everyMs: 500,
  async run({ database }) {
    await advanceRecoveries(database, stepMax)
  },
}
