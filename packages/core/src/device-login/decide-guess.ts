import { wrongUserCodesMax, wrongUserCodeWindowMs } from './limits.ts'
import { waitMs } from './decide-start.ts'

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
