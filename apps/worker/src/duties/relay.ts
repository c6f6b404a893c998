import { takeDueAttempts } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** The queue is kept short: a long backlog stays in PostgreSQL, where it can be shared out fairly. */
const queueMax = 1_000
const batch = { horizonMs: 30_000, perEndpointMax: 50, max: 500 }

/**
 * Makes jobs for due attempts that have none: retries that come due, deliveries of an endpoint that was
 * enabled, and whatever Redis lost or never got. Together with the jobs that a publish adds, every
 * accepted event is delivered at least once.
 */
export const relay: Duty = {
  name: 'relay',
  everyMs: 250,
  async run({ config, database, attempts, metrics }) {
    if (!attempts.isReady() || (await attempts.countWaiting()) >= queueMax) return
    const due = await takeDueAttempts(database, { ...batch, holdMs: config.jobHoldMs })
    if (due.length === 0) return
    await attempts.add(due)
    metrics.relayed.inc(due.length)
  },
}
