/**
 * The span that a limit holds for, in ms: no span of this length admits more
 * (docs/specification/requests.md#rate-limit-of-a-key).
 */
export const rateWindowMs = 60_000

/** Requests are counted in buckets of this length, in ms. */
export const rateBucketMs = 5_000

/** So many keys are counted in a process; beyond, the longest unused is forgotten. */
const keysMax = 100_000

/** The requests of a bucket. All of them count until the window has gone by since the last. */
interface Bucket {
  readonly count: number
  readonly lastMs: number
}

/** What a request learns of its budget. */
export interface Budget {
  readonly limit: number
  readonly admitted: boolean
  readonly remaining: number
  /** Until budget comes back: for a request that was not admitted, until one is; in ms. */
  readonly resetMs: number
}

/** The header fields of a budget (docs/specification/requests.md#rate-limit-of-a-key). */
export const budgetHeaders = (budget: Budget): Record<string, string> => ({
  'RateLimit-Policy': `"per-key";q=${budget.limit};w=${rateWindowMs / 1_000}`,
  RateLimit: `"per-key";r=${budget.remaining};t=${resetSeconds(budget)}`,
})

/** Until budget comes back, in whole seconds that are over by then: what a 429 says in `Retry-After`. */
export const resetSeconds = ({ resetMs }: Budget): number => Math.ceil(resetMs / 1_000)

/**
 * The budgets of keys, kept in this process: for the time that Redis is away. The same count as the
 * gate's script: the buckets of which a request is within the window never hold more than the limit.
 */
export class LocalBudgets {
  readonly #buckets = new Map<string, Map<number, Bucket>>()

  /** Takes one from the budget of a key, or with `charge` false only looks. */
  take(
    key: string,
    { limit, charge, nowMs }: { limit: number; charge: boolean; nowMs: number },
  ): Budget {
    const buckets = this.#bucketsOf(key, nowMs)
    const used = [...buckets.values()].reduce((sum, { count }) => sum + count, 0)
    const admitted = used < limit
    if (admitted && charge) {
      const current = Math.floor(nowMs / rateBucketMs)
      const { count, lastMs } = buckets.get(current) ?? { count: 0, lastMs: nowMs }
      buckets.set(current, { count: count + 1, lastMs: Math.max(lastMs, nowMs) })
    }
    const after = used + (admitted && charge ? 1 : 0)
    return {
      limit,
      admitted,
      remaining: Math.max(0, limit - after),
      resetMs: resetMsOf(buckets, { excess: admitted ? 1 : used - limit + 1, nowMs }),
    }
  }

  #bucketsOf(key: string, nowMs: number): Map<number, Bucket> {
    const buckets = this.#buckets.get(key) ?? new Map<number, Bucket>()
    for (const [number, { lastMs }] of buckets) {
      if (lastMs <= nowMs - rateWindowMs) buckets.delete(number)
    }
    // Kept in order of use, so that the one forgotten is the one longest unused.
    this.#buckets.delete(key)
    this.#buckets.set(key, buckets)
    if (this.#buckets.size > keysMax) this.#buckets.delete(this.#buckets.keys().next().value!)
    return buckets
  }
}

/** When so many have fallen out of the count. */
function resetMsOf(
  buckets: ReadonlyMap<number, Bucket>,
  { excess, nowMs }: { excess: number; nowMs: number },
): number {
  let fallen = 0
  for (const number of [...buckets.keys()].toSorted((a, b) => a - b)) {
    const { count, lastMs } = buckets.get(number)!
    fallen += count
    if (fallen >= excess) return lastMs + rateWindowMs - nowMs
  }
  return 0
}
