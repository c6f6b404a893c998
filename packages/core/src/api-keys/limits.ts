/** Maximum length of a key's name, in characters. */
export const keyNameLengthMax = 100

/** Maximum scopes per key. At least as many as there are scopes, or no key can have all. */
export const keyScopesMax = 50

/**
 * Maximum requests per minute of a key, which is also the default. It must be less than `countUnit` of
 * packages/redis/src/gate/rate-limit.ts, and prisma/schema.prisma repeats it (test/structure/limits.test.ts).
 */
export const rateLimitMax = 600

/**
 * Default overlap period (`grace_seconds`) of a rotation by API, in seconds, for keys and webhook secrets. `hctl` sends
 * none by default.
 */
export const overlapSecondsDefault = 0

/** Overlap period that the panel selects at first (apps/api/src/panel/view/rotation.tsx), in seconds. */
export const overlapSecondsInPanel = 3_600

/**
 * Maximum overlap period of a rotation, in seconds, for keys and webhook secrets. `rotationBody` in
 * apps/api/src/api/schemas/common.ts enforces it, and `rotation.ts` computes when each secret ends.
 */
export const overlapSecondsMax = 86_400

/** Maximum valid secrets of a key or an endpoint at a time. */
export const validSecretsMax = 10

/** Maximum entries of an IP allowlist. */
export const allowlistMax = 100

/** Maximum accounts that a key can be limited to. */
export const keyAccountsMax = 100

/** Maximum keys of a user that are neither revoked nor expired. */
export const keysPerUserMax = 100

/** Maximum keys of an organization, of all kinds, that are neither revoked nor expired. */
export const keysPerOrganizationMax = 500

/** Maximum revocations by token in any minute, per IPv4 address or IPv6 /64. */
export const revocationLimit = { max: 10, windowMs: 60_000 }

/** How long the uses of a key are kept, in days (docs/specification/api-keys.md#uses). */
export const keyUsesKeptDays = 7

/** Maximum combinations of a key and an hour that are counted separately (docs/specification/api-keys.md#uses). */
export const keyUseCombinationsMax = 200

/** A scope that no request has needed for this time, in days, is unused (docs/specification/api-keys.md#uses). */
export const scopeUsesKeptDays = 30
