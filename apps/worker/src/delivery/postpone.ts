import { createBatcher } from '@hosting/core/concurrency'
import { type Database } from '@hosting/postgres/database'
import { postponeAttempts, type PostponedAttempt } from '@hosting/postgres/deliveries'
import type { Counter } from 'prom-client'

/** Why a claimed attempt is postponed although its endpoint works. */
export const postponements = ['secret', 'clock', 'late'] as const
export type Postponement = (typeof postponements)[number]

/** The delay of a postponed attempt, in ms. */
export const postponedMs = 60_000

/** Attempts that could not start in time are due, and wait at most for the rate limit of their endpoint. */
const delayMsOf = (reason: Postponement): number => (reason === 'late' ? 0 : postponedMs)

/** Postpones a claimed attempt. */
export type Postpone = (attempt: PostponedAttempt, reason: Postponement) => Promise<void>

/** Postpones claimed attempts, without using up an attempt. */
export function createPostpone({
  database,
  metrics,
}: {
  readonly database: Database
  readonly metrics: { readonly postponed: Counter<'reason'> }
}): Postpone {
  const postpone = createBatcher(
    async (items: { attempt: PostponedAttempt; reason: Postponement }[]) => {
      const groups = Map.groupBy(items, ({ reason }) => delayMsOf(reason))
      for (const [delayMs, group] of groups) {
        const attempts = group.map(({ attempt }) => attempt)
        await postponeAttempts(database, attempts, delayMs)
      }
      return items.map(() => undefined as void)
    },
    { sizeMax: 100, callsMax: 1 },
  )
  return async ({ deliveryId, leaseId }, reason) => {
    await postpone({ attempt: { deliveryId, leaseId }, reason })
    metrics.postponed.inc({ reason })
  }
}
