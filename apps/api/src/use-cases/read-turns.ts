import { createTurns, readTurnLimits, type TurnLimits } from '@hosting/core/concurrency'
import { Problem } from '@hosting/core/problems'

/** Limits the concurrent expensive reads of each organization in a process. */
export interface ReadTurns {
  /** Reads when it is the organization's turn. Reads must not be nested. @throws Problem `rate_limited`. */
  run<T>(tenantId: string, read: () => Promise<T>): Promise<T>
}

/**
 * Creates the turns for expensive reads, so that no organization takes all connections and CPU time. Further reads
 * wait for their turn; those that wait too long get 429.
 */
export function createReadTurns(limits: TurnLimits = readTurnLimits): ReadTurns {
  const turns = createTurns(limits)
  return {
    async run(tenantId, read) {
      const end = await turns.take(tenantId)
      if (!end) throw tooManyReads()
      try {
        return await read()
      } finally {
        end()
      }
    },
  }
}

const tooManyReads = (): Problem =>
  new Problem('rate_limited', {
    detail: 'Your organization has too many concurrent reads. Send fewer requests in parallel.',
    headers: { 'Retry-After': '1' },
  })
