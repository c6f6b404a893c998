/** A device login must be approved and handed over within this time, in ms (specification "Limits"). */
export const deviceCodeLifetimeMs = 600_000

/** A client waits so long between polls, in ms (specification "Limits"). */
export const devicePollIntervalMs = 5_000

/** A poll is too fast within this time of the last one that counted, in ms (contract §3). */
export const devicePollMsMin = 4_000

/** An address may start so many device logins in any minute (specification "Limits"). */
export const deviceStartsPerMinute = 10

/** An address may have so many undecided device logins at a time (specification "Limits"). */
export const devicePendingMax = 5

/** After so many wrong user codes of a person within {@link wrongUserCodeWindowMs}, every code is refused (contract §3). */
export const wrongUserCodesMax = 5

/** How long a wrong user code counts, in ms (contract §3). */
export const wrongUserCodeWindowMs = 600_000

/** How long a key that was made by a device login lasts, in ms (specification "Limits"). */
export const deviceKeyLifetimeMs = 90 * 86_400_000
