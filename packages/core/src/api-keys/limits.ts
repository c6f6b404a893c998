/** Requests per minute of a key that names no limit of its own (specification "Limits"). */
export const rateLimitDefault = 600

/** The longest grace of a rotation, in seconds, for keys and webhook secrets alike (specification "Limits"). */
export const graceSecondsMax = 86_400

/** So many secrets of a key or an endpoint may be valid at a time (contract §2, "Rotation"). */
export const validSecretsMax = 10

/** An allow-list has at most so many entries (contract §2). */
export const allowlistMax = 100

/** Revocations by token: at most so many calls in any minute from an IPv4 address or an IPv6 /64. */
export const revocationLimit = { max: 10, windowMs: 60_000 }
