import { createTurns, type EndTurn } from '@hosting/core/concurrency'

/** How many lookups may run at a time. */
export interface LookupLimits {
  readonly perTenantMax: number
  readonly totalMax: number
  /** A lookup that has taken this long no longer occupies its turn, within the next two limits. */
  readonly promptMs: number
  readonly slowPerTenantMax: number
  readonly slowTotalMax: number
}

/** Limits lookups per tenant and in total. */
export interface LookupTurns {
  /** Waits for a turn. The returned function ends the lookup. */
  take(tenantId: string): Promise<EndTurn>
  readonly running: number
  readonly waiting: number
}

/**
 * Creates the turns for the lookups of a process. A turn is for the time in which almost every name server responds.
 * A lookup that takes longer leaves its turn to the next one, so a name that resolves does not wait for names that
 * do not.
 */
export function createLookupTurns(limits: LookupLimits): LookupTurns {
  const prompt = createTurns({ perKey: limits.perTenantMax, total: limits.totalMax })
  const slow = createTurns({
    perKey: limits.slowPerTenantMax,
    total: limits.slowTotalMax,
    waitingPerKey: 0,
  })
  return {
    async take(tenantId) {
      // Without a limit of those that wait, every caller gets a turn.
      let end = (await prompt.take(tenantId))!
      let hasEnded = false
      const leaveTurn = async (): Promise<void> => {
        const endSlow = await slow.take(tenantId)
        if (!endSlow) return
        if (hasEnded) return endSlow()
        end()
        end = endSlow
      }
      const timer = setTimeout(() => void leaveTurn(), limits.promptMs).unref()
      return () => {
        hasEnded = true
        clearTimeout(timer)
        end()
      }
    },
    get running() {
      return prompt.taken + slow.taken
    },
    get waiting() {
      return prompt.waiting
    },
  }
}
