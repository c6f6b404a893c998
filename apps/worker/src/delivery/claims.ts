import { createBatcher } from '@hosting/core/concurrency'
import {
  attemptLeaseMs,
  type ClaimedAttempt,
  type ReadyAttempt,
  type TakenAttempt,
} from '@hosting/core/webhooks'
import { claimAttempts, findLockedAttempts } from '@hosting/postgres/deliveries'
import { setTimeout } from 'node:timers/promises'
import type { Services } from '../services.ts'
import { createAttemptSecrets } from './attempt-secrets.ts'
import type { Postpone } from './postpone.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

/** One statement at a time. Attempts that arrive while it runs go into the next one. */
const batches = { sizeMax: 100, callsMax: 1 }

/**
 * The pauses before an attempt is claimed again, in ms, if another transaction had locked its row. If the row is still
 * locked after the last one, the attempt waits for the end of its hold.
 */
const lockedPausesMs = [10, 40, 160, 640]

/** Claims an attempt. Returns `undefined` if it is not to be made by this worker, or not now. */
export type Claim = (taken: TakenAttempt) => Promise<ReadyAttempt | undefined>

/**
 * Creates a function that claims an attempt and reads its secrets. If a secret or the custom headers were replaced
 * since the claim, it claims again to use the new ones. While PostgreSQL is unavailable, it retries until the lease
 * would end.
 */
export function createClaim(services: Services, postpone: Postpone): Claim {
  const leaseMs = attemptLeaseMs(services.config)
  const claim = createClaims(services, leaseMs)
  const readSecrets = createAttemptSecrets(services)

  async function claimWhenUnlocked(taken: TakenAttempt): Promise<ClaimedAttempt | undefined> {
    let claimed = await claim(taken)
    for (const pauseMs of lockedPausesMs) {
      if (claimed !== 'locked') return claimed
      await setTimeout(pauseMs)
      claimed = await claim(taken)
    }
    return claimed === 'locked' ? undefined : claimed
  }

  async function claimWithSecrets(taken: TakenAttempt): Promise<ReadyAttempt | undefined> {
    for (;;) {
      const claimed = await claimWhenUnlocked(taken)
      if (!claimed) return undefined
      const secrets = await readSecrets(claimed)
      if (secrets === 'undecryptable') {
        await postpone(claimed, 'secret')
        return undefined
      }
      if (secrets !== 'replaced') return { ...claimed, state: 'ready', ...secrets }
    }
  }
  return (taken) =>
    retryWhileUnavailable(() => claimWithSecrets(taken), performance.now() + leaseMs)
}

type Claimed = ClaimedAttempt | 'locked' | undefined

const createClaims = ({ database, metrics }: Services, leaseMs: number) =>
  createBatcher(async (taken: TakenAttempt[]): Promise<Claimed[]> => {
    metrics.batchSize.observe({ batch: 'claim' }, taken.length)
    const claimed = await claimAttempts(database, taken, leaseMs)
    const byLease = new Map(claimed.map((attempt) => [attempt.leaseId, attempt]))
    const unclaimed = taken.filter(({ leaseId }) => !byLease.has(leaseId))
    const locked = unclaimed.length > 0 ? await findLockedAttempts(database, unclaimed) : undefined
    return taken.map(
      ({ leaseId }) => byLease.get(leaseId) ?? (locked?.has(leaseId) ? 'locked' : undefined),
    )
  }, batches)
