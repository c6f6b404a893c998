import { writeWaitingIncidentNotices, writeExpiryNotices } from '@hosting/postgres/notices'
import type { Duty } from './duty.ts'
import { writeSecondFactorNotices } from '@hosting/postgres/sessions'

/** Endpoints and types per statement. */
const rowsMax = 200

/** Writes the notices of incidents that had to wait because their endpoint had one a short time before. */
export const notifyOfIncidents: Duty = {
  name: 'notify-of-incidents',
  everyMs: 10_000,
  async run({ database }, stopping) {
    let count: number
    do {
      count = await writeWaitingIncidentNotices(database, rowsMax)
    } while (count === rowsMax && !stopping.aborted)
  },
}

/** Keys per statement. */
const keysMax = 200

/** Notifies people of keys that expire within 7 days or 1 day. */
export const notifyOfExpiry: Duty = {
  name: 'notify-of-expiry',
  everyMs: 10_000,
  async run({ database, log }, stopping) {
    let total = 0
    for (;;) {
      const count = await writeExpiryNotices(database, keysMax)
      total += count
      if (count < keysMax || stopping.aborted) break
    }
    if (total > 0) log.info({ count: total }, 'expiring keys processed')
  },
}

/** People per statement. */
const peopleMax = 200

/** Notifies people without a second factor whose organization requires one within 7 days or 1 day. */
export const notifyOfSecondFactor: Duty = {
  name: 'notify-of-second-factor',
  everyMs: 30_000,
  async run({ database, log }, stopping) {
    let total = 0
    for (;;) {
      const count = await writeSecondFactorNotices(database, peopleMax)
      total += count
      if (count < peopleMax || stopping.aborted) break
    }
    if (total > 0) log.info({ count: total }, 'people notified of a required second factor')
  },
}
