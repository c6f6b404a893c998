/**
 * Whether something that ends is still valid: only if now is before its end. Every comparison with an expiry uses this
 * function, so that an end that is missing or no valid time is over.
 *
 * @param end - `null`: it does not end.
 */
export const isStillValid = (end: Date | null, now: Date): boolean =>
  end === null || now.getTime() < timeOf(end)

/**
 * Whether something ends at the limit at the latest. `null` is no end and no limit. An end or a limit that is no valid time
 * is not met.
 */
export const endsBy = (end: Date | null, limit: Date | null): boolean =>
  limit === null || (end !== null && timeOf(end) <= timeOf(limit))

/** The earlier of two ends; the invalid one if one is no valid time. */
export const earlierEnd = (one: Date, other: Date): Date =>
  timeOf(one) >= timeOf(other) ? other : one

/** NaN for what is not a valid time, whatever its type says. */
const timeOf = (end: Date | undefined): number => end?.getTime() ?? NaN
