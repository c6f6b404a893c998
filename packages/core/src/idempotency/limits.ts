/** How long a response is kept for its Idempotency-Key, in hours (docs/specification/requests.md#idempotency). */
export const idempotencyKeptHours = 24

/**
 * The time after which a repeated request may take over from one that has not completed, in ms. The first request then
 * fails when it stores its response, and its changes are rolled back (docs/specification/requests.md#idempotency). It is
 * longer than `statementMs` of packages/postgres/src/database/timeouts.ts (test/structure/limits.test.ts), so a first
 * request that still runs by then has usually lost its process.
 */
export const idempotencyLockMs = 15_000

/** Maximum length of an idempotency key, in characters. */
export const idempotencyKeyLengthMax = 255
