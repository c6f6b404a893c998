import {
  writeExpiryNotices,
  writeIncidentNotices,
  writeWaitingIncidentNotices,
} from '@hosting/postgres/notices'
import type { Database } from '@hosting/postgres/database'
import { writeSecondFactorNotices } from '@hosting/postgres/sessions'
import type { Duty } from './duty.ts'

/** Keys or people per transaction. */
const rowsMax = 200
/** Incidents per transaction. Readers of the event log wait for the events that it publishes. */
const incidentsMax = 20

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
    const count = await processAll(writeIncidentNotices, database, stopping, incidentsMax)
    return count > 0 ? undefined : 'idle'
  },
}

/** Writes the notices of incidents that had to wait because their endpoint had one a short time before. */
export const notifyOfLastingIncidents: Duty = {
  name: 'notify-of-lasting-incidents',
  everyMs: 10_000,
  async run({ database }, stopping) {
    await processAll(writeWaitingIncidentNotices, database, stopping, incidentsMax)
  },
}

/** Notifies people of keys that expire within 7 days or 1 day. */
export const notifyOfExpiry: Duty = {
  name: 'notify-of-expiry',
  everyMs: 10_000,
  async run({ database, log }, stopping) {
    const count = await processAll(writeExpiryNotices, database, stopping)
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
