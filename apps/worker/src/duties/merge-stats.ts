import { mergeAttemptStats } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Keeps the counts of attempts that statistics are read from few. */
export const mergeStats: Duty = {
  name: 'merge-stats',
  everyMs: 2_000,
  async run({ database }) {
    await mergeAttemptStats(database)
  },
}
