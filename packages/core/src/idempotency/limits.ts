/** How long a response is kept for its Idempotency-Key, in hours (docs/specification/requests.md#idempotency). */
export const idempotencyKeptHours = 24

/** Maximum length of an idempotency key, in characters. */
export const idempotencyKeyLengthMax = 255
