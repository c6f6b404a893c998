import { mergeAttemptStats } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Merges the attempt counts of the statistics, so that few rows have to be read. */
export const mergeStats: Duty = {
  name: 'merge-stats',
  everyMs: 2_000,
  async run({ database }) {
    await mergeAttemptStats(database)
  },
}
