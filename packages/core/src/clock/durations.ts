/** A minute, in ms. */
export const minuteMs = 60_000

/** An hour, in ms. */
export const hourMs = 60 * minuteMs

/** A day of 24 hours, in ms. */
export const dayMs = 24 * hourMs

/** The distance of a time from now in one unit: `3 min ago`, `in 12 d`; a date if it is far. */
export function timeAgo(time: Date, now: Date): string {
  const ms = now.getTime() - time.getTime()
  const distance = Math.abs(ms)
  if (distance < 1_000) return 'just now'
  if (distance >= (ms > 0 ? 30 : 100) * dayMs) return time.toISOString().slice(0, 10)
  const text = inOneUnit(distance)
  return ms > 0 ? `${text} ago` : `in ${text}`
}

function inOneUnit(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / 1_000)} s`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`
  return ms < dayMs ? `${Math.floor(ms / hourMs)} h` : `${Math.floor(ms / dayMs)} d`
}

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
