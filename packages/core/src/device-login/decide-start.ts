import { deviceCodeLifetimeMs, devicePendingMax, deviceStartsPerMinute } from './limits.ts'

/** A device login of the address, as far as the limits care. */
export interface EarlierStart {
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Whether it is undecided; one that has expired counts no more. */
  readonly pending: boolean
}

const minuteMs = 60_000

/** Starts before this many ms matter to no limit. */
export const earlierStartsMs = Math.max(minuteMs, deviceCodeLifetimeMs)

/**
 * Decides whether an address may start a device login: at most 10 in any minute, and at most 5 undecided
 * at a time (docs/specification/device-login.md#start).
 *
 * @returns after how many ms it may, if not now: at the latest, since a decision frees a place at once.
 */
export function decideDeviceStart(earlier: readonly EarlierStart[], now: Date): number | undefined {
  const startsEnd = earlier.map(({ createdAt }) => createdAt.getTime() + minuteMs)
  const pendingEnd = earlier
    .filter(({ pending }) => pending)
    .map(({ expiresAt }) => expiresAt.getTime())
  const waits = [
    waitMs(startsEnd, { max: deviceStartsPerMinute, now }),
    waitMs(pendingEnd, { max: devicePendingMax, now }),
  ]
  const longest = Math.max(...waits)
  return longest > 0 ? longest : undefined
}

/**
 * Until fewer than `max` are left, in ms; 0 if that is so now.
 *
 * @param ends - when each ceases to count, as Unix time in ms.
 */
export function waitMs(ends: readonly number[], { max, now }: { max: number; now: Date }): number {
  const nowMs = now.getTime()
  const counting = ends.filter((end) => end > nowMs).toSorted((a, b) => a - b)
  return counting.length < max ? 0 : counting[counting.length - max]! - nowMs
}
