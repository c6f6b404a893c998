import { makePartitions } from '@hosting/postgres/database'
import type { Duty } from './duty.ts'

/** Creates the day partitions in advance. */
export const partitions: Duty = {
  name: 'partitions',
  everyMs: 60 * 60 * 1_000,
  async run({ database, log }) {
    const made = await makePartitions(database)
    if (made > 0) log.info({ made }, 'partitions created')
  },
}
