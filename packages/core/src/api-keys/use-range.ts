import { dayMs, minuteMs } from '../clock/index.ts'
import { validationFailed } from '../problems/problem.ts'
import { keyUsesKeptDays } from './limits.ts'

/** The spans that uses of a key are added up by, in UTC. */
export const useSpans = ['hour', 'day'] as const

/** A span that uses of a key are added up by. */
export type UseSpan = (typeof useSpans)[number]

/** Which uses of a key are read. */
export interface UseRange {
  readonly since: Date
  readonly until: Date
  readonly by: UseSpan
}

/** Up to this length, in ms, a range is read by the hour unless the request says otherwise. */
const byHourMsMax = 2 * dayMs

/**
 * Decides which uses of a key are read. A caller who asks for the last 7 days has computed `since` before the request
 * arrived, so without `until` the range may be a little longer.
 *
 * @throws Problem `validation_failed`
 */
export function decideUseRange(
  query: { readonly since?: string; readonly until?: string; readonly by?: UseSpan },
  nowMs: number,
): UseRange {
  const until = query.until === undefined ? new Date(nowMs) : new Date(query.until)
  const since =
    query.since === undefined ? new Date(until.getTime() - dayMs) : new Date(query.since)
  const lengthMs = until.getTime() - since.getTime()
  if (lengthMs <= 0) throw validationFailed({ pointer: '/until', message: 'must be after since' })
  const lateMs = query.until === undefined ? minuteMs : 0
  if (lengthMs > keyUsesKeptDays * dayMs + lateMs) {
    throw validationFailed({
      pointer: '/since',
      message: `must be at most ${keyUsesKeptDays} days before until`,
    })
  }
  return { since, until, by: query.by ?? (lengthMs <= byHourMsMax ? 'hour' : 'day') }
}
