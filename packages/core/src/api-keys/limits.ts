/** Default requests per key and minute (docs/specification/requests.md#rate-limit-of-a-key). */
export const rateLimitDefault = 600

/**
 * The longest overlap period of a rotation in seconds, for keys and webhook secrets
 * (docs/specification/api-keys.md#rotation).
 */
export const graceSecondsMax = 86_400

/** Maximum valid secrets of a key or an endpoint (docs/specification/api-keys.md#rotation). */
export const validSecretsMax = 10

/** Maximum entries of an allow-list (docs/specification/api-keys.md#ip-allow-list). */
export const allowlistMax = 100

/** Revocations by token: at most so many calls in any minute from an IPv4 address or an IPv6 /64. */
export const revocationLimit = { max: 10, windowMs: 60_000 }
