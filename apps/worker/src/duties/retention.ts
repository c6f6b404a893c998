import { dropExpiredRecords } from '@hosting/postgres/retention'
import type { Duty } from './duty.ts'
import { makePartitions } from '@hosting/postgres/database'

/** Deletes attempts, deliveries and events after 30 days. */
export const retention: Duty = {
  name: 'retention',
  everyMs: 60 * 60 * 1_000,
  deletesByAge: true,
  async run({ database, log, metrics }, stopping) {
    const result = await dropExpiredRecords(database, { signal: stopping })
    const { failures, partitionsDropped, ...deleted } = result
    metrics.partitionsDropped.inc(partitionsDropped)
    metrics.recordsDeleted.inc({ record: 'attempt' }, deleted.attemptsDeleted)
    metrics.recordsDeleted.inc({ record: 'delivery' }, deleted.deliveriesDeleted)
    metrics.recordsDeleted.inc({ record: 'event' }, deleted.eventsDeleted)
    const removed =
      partitionsDropped + Object.values(deleted).reduce((sum, count) => sum + count, 0)
    if (removed > 0) log.info({ partitionsDropped, ...deleted }, 'expired records removed')
    for (const { partition, error } of failures) {
      log.warn({ err: error, partition }, 'expired records are left for the next round')
    }
    metrics.dutyFailures.inc({ duty: 'retention' }, failures.length)
  },
}

/** Creates the day partitions in advance. */
export const partitions: Duty = {
  name: 'partitions',
  everyMs: 60 * 60 * 1_000,
  async run({ database, log }) {
    const made = await makePartitions(database)
    if (made > 0) log.info({ made }, 'partitions created')
  },
}
