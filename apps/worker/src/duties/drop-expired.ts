import { dropExpiredIdempotency } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Forgets answers to idempotent requests past their day. */
export const dropExpired: Duty = {
  name: 'drop-expired',
  everyMs: 60_000,
  async run({ database }) {
    await dropExpiredIdempotency(database)
  },
}
