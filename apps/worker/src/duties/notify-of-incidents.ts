import { writeWaitingIncidentNotices } from '@hosting/postgres/notices'
import type { Duty } from './duty.ts'

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
