/**
 * A device login must be approved and redeemed within this time, in ms
 * (docs/specification/device-login.md#states).
 */
export const deviceCodeLifetimeMs = 600_000

/** How long a client waits between polls, in ms (docs/specification/device-login.md#polling). */
export const devicePollIntervalMs = 5_000

/**
 * A poll is too fast within this time of the last one that counted, in ms
 * (docs/specification/device-login.md#polling).
 */
export const devicePollMsMin = 4_000

/** Maximum device logins that an address starts per minute (docs/specification/device-login.md#start). */
export const deviceStartsPerMinute = 10

/** Maximum pending device logins of an address (docs/specification/device-login.md#start). */
export const devicePendingMax = 5

/**
 * After this many wrong user codes of a person within {@link wrongUserCodeWindowMs}, every code is refused
 * (docs/specification/device-login.md#approval).
 */
export const wrongUserCodesMax = 5

/** How long a wrong user code counts, in ms (docs/specification/device-login.md#approval). */
export const wrongUserCodeWindowMs = 600_000

/** How long a key that was made by a device login lasts, in ms (docs/specification/device-login.md#key). */
export const deviceKeyLifetimeMs = 90 * 86_400_000
