import { closeRefusalWindows } from '@hosting/postgres/audit'
import type { Duty } from './duty.ts'

/** Writes the number of repeated refusals of a request to the audit log when their minute is over. */
export const closeRefusals: Duty = {
  name: 'close-refusals',
  everyMs: 5_000,
  async run({ database }) {
    await closeRefusalWindows(database)
  },
}
