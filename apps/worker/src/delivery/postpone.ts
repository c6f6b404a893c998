import { postponeAttempts, type PostponedAttempt } from '@hosting/postgres'
import { createBatcher } from '@hosting/process'
import type { Services } from '../services.ts'

/** Why a claimed attempt is postponed although its endpoint works. */
export const postponements = ['secret', 'clock'] as const
export type Postponement = (typeof postponements)[number]

/** The delay of a postponed attempt, in ms. */
export const postponedMs = 60_000

/** Postpones claimed attempts by a minute, without using up an attempt. */
export function createPostpone({
  database,
  metrics,
}: Services): (attempt: PostponedAttempt, reason: Postponement) => Promise<void> {
  const postpone = createBatcher(
    async (attempts: PostponedAttempt[]) => {
      await postponeAttempts(database, attempts, postponedMs)
      return attempts.map(() => undefined as void)
    },
    { sizeMax: 100, callsMax: 1 },
  )
  return async ({ deliveryId, leaseId }, reason) => {
    await postpone({ deliveryId, leaseId })
    metrics.postponed.inc({ reason })
  }
}
