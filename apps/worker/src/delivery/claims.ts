import { createBatcher } from '@hosting/core/concurrency'
import {
  attemptLeaseMs,
  type ClaimedAttempt,
  type ReadyAttempt,
  type TakenAttempt,
} from '@hosting/core/webhooks'
import { claimAttempts } from '@hosting/postgres/deliveries'
import type { Services } from '../services.ts'
import { createAttemptSecrets } from './attempt-secrets.ts'
import type { Postpone } from './postpone.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

/** One statement at a time. Attempts that arrive while it runs go into the next one. */
const batches = { sizeMax: 100, callsMax: 1 }

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

  async function claimWithSecrets(taken: TakenAttempt): Promise<ReadyAttempt | undefined> {
    for (;;) {
      const claimed = await claim(taken)
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

const createClaims = ({ database, metrics }: Services, leaseMs: number) =>
  createBatcher(async (taken: TakenAttempt[]): Promise<(ClaimedAttempt | undefined)[]> => {
    metrics.batchSize.observe({ batch: 'claim' }, taken.length)
    const claimed = await claimAttempts(database, taken, leaseMs)
    const byLease = new Map(claimed.map((attempt) => [attempt.leaseId, attempt]))
    return taken.map(({ leaseId }) => byLease.get(leaseId))
  }, batches)
