/**
 * The length of the sliding window, in ms: no span of this length admits more requests than the limit
 * (docs/specification/requests.md#rate-limit-of-a-key). `rateLimitMax` of packages/core/src/api-keys/limits.ts is the
 * highest limit.
 *
 * Two counters apply it, with these constants: packages/redis/src/gate/rate-limit.ts for all processes, in Lua because it
 * must run in Redis, and {@link LocalBudgets} while a process has no Redis. packages/redis/test/gate-budgets.test.ts
 * compares them for any earlier counts; apps/api/src/api/gate/key-gate.ts chooses.
 *
 * `rate_limit_per_minute`, in the API and the database, says that it is a minute, and so do the panel and `hctl`.
 *
 * A change of this or of {@link rateBucketMs} changes the number of buckets in Redis: while two releases run together,
 * the counts of a key are wrong for up to a window.
 */
export const rateWindowMs = 60_000

/** Requests are counted in buckets of this length, in ms. The window is a multiple of it. */
export const rateBucketMs = 5_000

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
