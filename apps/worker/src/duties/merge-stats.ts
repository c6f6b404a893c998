import { mergeAttemptStats } from '@hosting/postgres/deliveries'
import { mergeUsageCounts } from '@hosting/postgres/directory'
import type { Duty } from './duty.ts'

/** Merges the counts of the statistics and of the usage, so that few rows have to be read. */
export const mergeStats: Duty = {
  name: 'merge-stats',
  everyMs: 2_000,
  awaits: 'counts',
  async run({ database }) {
    const merged = (await mergeAttemptStats(database)) + (await mergeUsageCounts(database))
    return merged === 0 ? 'idle' : undefined
  },
}
