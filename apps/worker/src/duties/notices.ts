import {
  announceWaitingIncidents,
  writeExpiryNotices,
  writeIncidentNotices,
} from '@hosting/postgres/notices'
import type { Database } from '@hosting/postgres/database'
import { writeSecondFactorNotices } from '@hosting/postgres/sessions'
import type { Duty } from './duty.ts'

/** Notices or people per transaction. */
const rowsMax = 200
/** Keys or incidents per transaction that publishes their events. Readers of the event log wait for it. */
const publishedMax = 20

/** Repeats a transaction until it has processed everything. Returns how many rows it processed. */
async function processAll(
  process: (database: Database, rowsMax: number) => Promise<number>,
  database: Database,
  stopping: AbortSignal,
  limit = rowsMax,
): Promise<number> {
  let total = 0
  for (;;) {
    const count = await process(database, limit)
    total += count
    if (count < limit || stopping.aborted) return total
  }
}

/** Writes the notices of incidents that were opened or closed. */
export const notifyOfIncidents: Duty = {
  name: 'notify-of-incidents',
  everyMs: 100,
  idleMs: 250,
  awaits: 'incidents',
  async run({ database }, stopping) {
    const count = await processAll(writeIncidentNotices, database, stopping)
    return count > 0 ? undefined : 'idle'
  },
}

/** Announces incidents that had to wait because their endpoint had a notice a short time before. */
export const notifyOfLastingIncidents: Duty = {
  name: 'notify-of-lasting-incidents',
  everyMs: 10_000,
  async run({ database }, stopping) {
    await processAll(announceWaitingIncidents, database, stopping, publishedMax)
  },
}

/** Notifies people of keys that expire within 7 days or 1 day. */
export const notifyOfExpiry: Duty = {
  name: 'notify-of-expiry',
  everyMs: 10_000,
  async run({ database, log }, stopping) {
    const count = await processAll(writeExpiryNotices, database, stopping, publishedMax)
    if (count > 0) log.info({ count }, 'expiring keys processed')
  },
}

/** Notifies people without a second factor whose organization requires one within 7 days or 1 day. */
export const notifyOfSecondFactor: Duty = {
  name: 'notify-of-second-factor',
  everyMs: 30_000,
  async run({ database, log }, stopping) {
    const count = await processAll(writeSecondFactorNotices, database, stopping)
    if (count > 0) log.info({ count }, 'people notified of a required second factor')
  },
}
