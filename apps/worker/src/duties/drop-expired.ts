import { dropExpiredIdempotency, dropOldRecoveries, eraseExpiredSecrets } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Forgets answers to idempotent requests past their day and old recoveries, and erases secrets whose grace ended. */
export const dropExpired: Duty = {
  name: 'drop-expired',
  everyMs: 10_000,
  async run({ database }) {
    await dropExpiredIdempotency(database)
    await eraseExpiredSecrets(database)
    await dropOldRecoveries(database)
  },
}
