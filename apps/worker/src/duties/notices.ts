import { writeExpiryNotices, writeWaitingIncidentNotices } from '@hosting/postgres/notices'
import type { Database } from '@hosting/postgres/database'
import { writeSecondFactorNotices } from '@hosting/postgres/sessions'
import type { Duty } from './duty.ts'

/** Endpoints and types, keys, or people per statement. */
const rowsMax = 200

/** Repeats a statement until it has processed everything. Returns how many rows it processed. */
async function processAll(
  process: (database: Database, limit: number) => Promise<number>,
  database: Database,
  stopping: AbortSignal,
): Promise<number> {
  let total = 0
  for (;;) {
    const count = await process(database, rowsMax)
    total += count
    if (count < rowsMax || stopping.aborted) return total
  }
}

/** Writes the notices of incidents that had to wait because their endpoint had one a short time before. */
export const notifyOfIncidents: Duty = {
  name: 'notify-of-incidents',
  everyMs: 10_000,
  async run({ database }, stopping) {
    await processAll(writeWaitingIncidentNotices, database, stopping)
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
