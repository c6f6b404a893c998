import { createBatcher } from '@hosting/core/concurrency'
import type { UnfinishedAttempt } from '@hosting/core/webhooks'
import type { Database } from '@hosting/postgres/database'
import { postponeAttempts, type PostponedAttempt } from '@hosting/postgres/deliveries'
import type { Counter } from 'prom-client'

/** Why an attempt is postponed, and how long the relay leaves it then, in ms. */
const delaysMs = {
  /** All slots of its endpoint are in use. */
  slots: 0,
  /** Its tenant has used up its share of the lane. */
  share: 1_000,
  /** It would wait for the lookup of its endpoint's name, which is slow. */
  lookup: 1_000,
  /** The worker can sign or record no attempts. */
  worker: 1_000,
  /** The worker shuts down. */
  shutdown: 0,
  /** It could not start in time for the rate limit of its endpoint, or within its lease. */
  late: 0,
  /** Its signing secret or custom headers cannot be decrypted. */
  secret: 60_000,
  /** TLS failed while the clock of this machine was wrong. */
  clock: 60_000,
} as const

/** Why an attempt is postponed. */
export type PostponeReason = keyof typeof delaysMs

/** The reasons, for metrics. */
export const postponeReasons = Object.keys(delaysMs) as readonly PostponeReason[]

/** Postpones an attempt, without using it up: the relay takes it again. */
export type Postpone = (attempt: UnfinishedAttempt, reason: PostponeReason) => Promise<void>

/** Creates the one function by which the worker makes an attempt later. */
export function createPostpone({
  database,
  metrics,
}: {
  readonly database: Database
  readonly metrics: { readonly postponed: Counter<'reason'> }
}): Postpone {
  const postpone = createBatcher(
    async (batch: PostponedAttempt[]) => {
      await postponeAttempts(database, batch)
      return batch.map(() => undefined as void)
    },
    { sizeMax: 500, callsMax: 1 },
  )
  return async (attempt, reason) => {
    await postpone({ attempt, forMs: delaysMs[reason] })
    metrics.postponed.inc({ reason })
  }
}
