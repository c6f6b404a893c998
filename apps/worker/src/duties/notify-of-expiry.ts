import { writeExpiryNotices } from '@hosting/postgres/notices'
import type { Duty } from './duty.ts'

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
