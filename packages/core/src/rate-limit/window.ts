/** The span that a limit holds for, in ms: no span of this length admits more (contract §1). */
export const rateWindowMs = 60_000

/** Requests are counted in buckets of this length, in ms. */
export const rateBucketMs = 5_000

/** The current bucket and the older ones that may share a span with it. */
export const rateBuckets = rateWindowMs / rateBucketMs + 1

/** So many keys are counted in a process; beyond, the longest unused is forgotten. */
const keysMax = 100_000

/** What a request learns of its budget. */
export interface Budget {
  readonly limit: number
  readonly admitted: boolean
  readonly remaining: number
  /** Until budget comes back: for a request that was not admitted, until one is; in ms. */
  readonly resetMs: number
}

/** The header fields of a budget (contract §1, "Rate limit headers"). */
export const budgetHeaders = (budget: Budget): Record<string, string> => ({
  'RateLimit-Policy': `"per-key";q=${budget.limit};w=${rateWindowMs / 1_000}`,
  RateLimit: `"per-key";r=${budget.remaining};t=${resetSeconds(budget)}`,
})

/** Until budget comes back, in whole seconds that are over by then: what a 429 says in `Retry-After`. */
export const resetSeconds = ({ resetMs }: Budget): number => Math.ceil(resetMs / 1_000)

/**
 * The budgets of keys, kept in this process: for the time that Redis is away. The same count as the
 * gate's script: the current bucket and the twelve before it never hold more than the limit.
 */
export class LocalBudgets {
  readonly #counts = new Map<string, Map<number, number>>()

  /** Takes one from the budget of a key, or with `charge` false only looks. */
  take(
    key: string,
    { limit, charge, nowMs }: { limit: number; charge: boolean; nowMs: number },
  ): Budget {
    const current = Math.floor(nowMs / rateBucketMs)
    const counts = this.#countsOf(key, current)
    const used = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const admitted = used < limit
    if (admitted && charge) counts.set(current, (counts.get(current) ?? 0) + 1)
    const after = used + (admitted && charge ? 1 : 0)
    return {
      limit,
      admitted,
      remaining: Math.max(0, limit - after),
      resetMs: this.#resetMs(counts, { excess: admitted ? 1 : used - limit + 1, nowMs }),
    }
  }

  #countsOf(key: string, current: number): Map<number, number> {
    const counts = this.#counts.get(key) ?? new Map<number, number>()
    for (const bucket of counts.keys()) if (bucket <= current - rateBuckets) counts.delete(bucket)
    // Kept in order of use, so that the one forgotten is the one longest unused.
    this.#counts.delete(key)
    this.#counts.set(key, counts)
    if (this.#counts.size > keysMax) this.#counts.delete(this.#counts.keys().next().value!)
    return counts
  }

  /** When so many have fallen out of the count. */
  #resetMs(
    counts: ReadonlyMap<number, number>,
    { excess, nowMs }: { excess: number; nowMs: number },
  ): number {
    let fallen = 0
    for (const bucket of [...counts.keys()].toSorted((a, b) => a - b)) {
      fallen += counts.get(bucket)!
      if (fallen >= excess) return (bucket + rateBuckets) * rateBucketMs - nowMs
    }
    return 0
  }
}
