/** How long a response is kept for its Idempotency-Key, in hours (docs/specification/requests.md#idempotency). */
export const idempotencyKeptHours = 24

/**
 * The time after which a request that has not completed may be taken over by a repeated one, in ms. Then it fails when it
 * stores its response, and its changes are rolled back (docs/specification/requests.md#idempotency).
 */
export const idempotencyLockMs = 15_000

/** Maximum length of an idempotency key, in characters. */
export const idempotencyKeyLengthMax = 255
