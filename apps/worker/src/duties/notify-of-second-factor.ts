import { writeSecondFactorNotices } from '@hosting/postgres/sessions'
import type { Duty } from './duty.ts'

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
