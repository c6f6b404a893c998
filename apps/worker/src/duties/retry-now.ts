import { continueRetries } from '@hosting/postgres/deliveries'
import type { Duty } from './duty.ts'

/** Makes the waiting retries of endpoints due that a request left because they are too many for a transaction. */
export const retryNow: Duty = {
  name: 'retry-now',
  everyMs: 250,
  idleMs: 500,
  awaits: 'retries',
  async run({ database }) {
    return (await continueRetries(database)) === 0 ? 'idle' : undefined
  },
}
