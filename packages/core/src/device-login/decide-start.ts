import {
  deviceCodeLifetimeMs,
  devicePendingMax,
  deviceStartsPerMinute,
  wrongUserCodesMax,
  wrongUserCodeWindowMs,
  clientNameLengthMax,
} from './limits.ts'
import { minuteMs } from '../clock/durations.ts'
import { isVisibleText, visibleTextMessage } from '../text/visible-text.ts'

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

/**
 * Decides whether a person may enter a user code. After {@link wrongUserCodesMax} wrong codes within
 * {@link wrongUserCodeWindowMs} every code is refused, even a correct one (docs/specification/device-login.md#approval).
 *
 * @param wrongAt - when the person entered wrong codes.
 * @returns the wait in ms, or `undefined` if the person may enter a code now.
 */
export function decideUserCodeGuess(wrongAt: readonly Date[], now: Date): number | undefined {
  const ends = wrongAt.map((at) => at.getTime() + wrongUserCodeWindowMs)
  const wait = waitMs(ends, { max: wrongUserCodesMax, now })
  return wait > 0 ? wait : undefined
}

/** A valid client name, or the error. */
export type ClientName = { readonly name: string } | { readonly error: string }

/**
 * Validates the name that a client sends. It is shown to the approver and becomes the name of the key.
 *
 * @returns the trimmed name, or the error as a sentence without its subject.
 */
export function readClientName(given: string): ClientName {
  if (!isVisibleText(given)) return { error: visibleTextMessage }
  const name = given.trim()
  if (Array.from(name).length > clientNameLengthMax) {
    return {
      error: `must have 1 to ${clientNameLengthMax} characters, not counting spaces at its ends`,
    }
  }
  return { name }
}
