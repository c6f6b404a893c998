import { wrongUserCodesMax, wrongUserCodeWindowMs } from './limits.ts'
import { waitMs } from './decide-start.ts'

/**
 * Decides whether a person may give a user code: after five wrong ones in ten minutes none is read, not
 * even a right one (docs/specification/device-login.md#approval).
 *
 * @param wrongAt - when the person's wrong codes were given.
 * @returns after how many ms it may, if not now.
 */
export function decideUserCodeGuess(wrongAt: readonly Date[], now: Date): number | undefined {
  const ends = wrongAt.map((at) => at.getTime() + wrongUserCodeWindowMs)
  const wait = waitMs(ends, { max: wrongUserCodesMax, now })
  return wait > 0 ? wait : undefined
}
