import { dayMs } from '../clock/durations.ts'

/** How long a device login can be approved and redeemed, in ms. */
export const deviceCodeLifetimeMs = 600_000

/** The polling interval that responses state, in ms. `decideDevicePoll` decides `slow_down`. */
export const devicePollIntervalMs = 5_000

/**
 * What `slow_down` adds to the interval of a client, in ms (RFC 8628, section 3.5). The SDKs, which
 * cannot import it, repeat it (test/structure/limits.test.ts).
 */
export const deviceSlowDownMs = 5_000

/**
 * The interval that is enforced, in ms: a poll that comes sooner after the last `authorization_pending` response gets
 * `slow_down`. It is a second less than the interval that is stated, because network delays vary.
 */
export const devicePollMsMin = devicePollIntervalMs - 1_000

/**
 * How long after an `authorization_pending` another poll at `POST /oauth/token` is taken for a repetition of the same
 * poll, in ms. A client that tries two ways to name itself sends each poll twice (docs/specification/oauth.md#polling).
 */
export const devicePollRepeatMs = 1_000

/** Maximum device logins started in any minute, per address. */
export const deviceStartsPerMinute = 10

/** Maximum pending device logins at a time, per address. */
export const devicePendingMax = 5

/** Maximum wrong user codes of a person within {@link wrongUserCodeWindowMs}. When it is reached, every code is refused. */
export const wrongUserCodesMax = 5

/** How long a wrong user code counts, in ms. */
export const wrongUserCodeWindowMs = 600_000

/** The lifetime of a key created by a device login, in days. */
export const deviceKeyLifetimeDays = 90

/** The lifetime of a key created by a device login, in ms. */
export const deviceKeyLifetimeMs = deviceKeyLifetimeDays * dayMs

/** Maximum length of the name of a client, in characters. */
export const clientNameLengthMax = 64
