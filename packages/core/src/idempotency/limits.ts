/**
 * How long a response is kept for its Idempotency-Key, in hours (docs/specification/requests.md#idempotency). That page,
 * docs/operations.md and prisma/schema.prisma repeat it (test/structure/specified-limits.test.ts).
 */
export const idempotencyKeptHours = 24

/**
 * The time after which a request that has not completed may be taken over by a repeated one, in ms. Then it fails when it
 * stores its response, and its changes are rolled back (docs/specification/requests.md#idempotency). It is longer
 * than PostgreSQL lets a statement run, so the first request has usually failed by then, together with its process.
 */
export const idempotencyLockMs = 15_000

/** Maximum length of an idempotency key, in characters. docs/specification/requests.md repeats it, too. */
export const idempotencyKeyLengthMax = 255
