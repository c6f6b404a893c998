/** Maximum length of an idempotency key, in characters. */
export const idempotencyKeyLengthMax = 255
