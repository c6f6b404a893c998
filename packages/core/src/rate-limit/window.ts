/**
 * The length of the sliding window, in ms: no span of this length admits more requests than the limit
 * (docs/specification/requests.md#rate-limit-of-a-key).
 */
export const rateWindowMs = 60_000

/** Requests are counted in buckets of this length, in ms. */
export const rateBucketMs = 5_000

/** Maximum keys that a process counts. Beyond, the least recently used key is dropped. */
const keysMax = 100_000

/** The requests of a bucket. All of them count until a window after the last one. */
interface Bucket {
  readonly count: number
  readonly lastMs: number
}

/** The state of a key's rate limit after a request. */
export interface Budget {
  readonly limit: number
  readonly admitted: boolean
  readonly remaining: number
  /** The time until budget is restored, in ms. If the request was refused: until one is admitted. */
  readonly resetMs: number
}

/** The `RateLimit` header fields of a budget (docs/specification/requests.md#rate-limit-of-a-key). */
export const budgetHeaders = (budget: Budget): Record<string, string> => ({
  'RateLimit-Policy': `"per-key";q=${budget.limit};w=${rateWindowMs / 1_000}`,
  RateLimit: `"per-key";r=${budget.remaining};t=${resetSeconds(budget)}`,
})

/** The time until budget is restored, in seconds, rounded up: `Retry-After` of a 429. */
export const resetSeconds = ({ resetMs }: Budget): number => Math.ceil(resetMs / 1_000)

/**
 * The budgets of keys in this process, used while Redis is unavailable. It counts like the gate's script: the
 * buckets with a request within the window never contain more requests than the limit.
 */
export class LocalBudgets {
  readonly #buckets = new Map<string, Map<number, Bucket>>()

  /** Counts a request of a key if it is admitted. With `charge: false`, only reads the budget. */
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
    // Re-insert to keep the map in order of use, so that the first entry is the least recently used.
    this.#buckets.delete(key)
    this.#buckets.set(key, buckets)
    if (this.#buckets.size > keysMax) this.#buckets.delete(this.#buckets.keys().next().value!)
    return buckets
  }
}

/** The time until at least `excess` requests no longer count, in ms. */
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
