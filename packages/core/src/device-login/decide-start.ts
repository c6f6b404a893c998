import { deviceCodeLifetimeMs, devicePendingMax, deviceStartsPerMinute } from './limits.ts'
import { minuteMs } from '../clock/durations.ts'

/** The fields of an earlier device login of the same IP address that the limits read. */
export interface EarlierStart {
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Whether it is neither approved nor denied. It no longer counts once it has expired. */
  readonly pending: boolean
}

/** Starts older than this, in ms, count toward no limit. */
export const earlierStartsMs = Math.max(minuteMs, deviceCodeLifetimeMs)

/**
 * Decides whether an IP address may start a device login: at most {@link deviceStartsPerMinute} in any minute, and
 * at most {@link devicePendingMax} pending at a time (docs/specification/device-login.md#start).
 *
 * @returns the longest wait in ms, or `undefined` if the address may start one now. The wait is shorter if a
 *   pending login is decided in the meantime.
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
 * The time until fewer than `max` entries count, in ms; 0 if that is already so.
 *
 * @param ends - when each entry stops counting, as Unix time in ms.
 */
export function waitMs(ends: readonly number[], { max, now }: { max: number; now: Date }): number {
  const nowMs = now.getTime()
  const counting = ends.filter((end) => end > nowMs).toSorted((a, b) => a - b)
  return counting.length < max ? 0 : counting[counting.length - max]! - nowMs
}
