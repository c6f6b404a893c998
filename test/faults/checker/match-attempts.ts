import type { RecordedAttempt } from '../history/entries.ts'
import type { ArrivalCall } from './history-view.ts'

/** The recorded attempts of a delivery and the requests that its receiver got. */
export interface Matching {
  readonly pairs: readonly { readonly attempt: RecordedAttempt; readonly arrival: ArrivalCall }[]
  /** Attempts whose record contradicts the receiver's log. */
  readonly unmatched: readonly RecordedAttempt[]
  /** Requests without a recorded attempt. */
  readonly unrecorded: readonly ArrivalCall[]
}

/** The clocks of processes differ by less than this, in ms, and a busy machine is late. */
const clockToleranceMs = 1_500

/** Finds for each recorded attempt the request at the receiver, both in order of time. */
export function matchAttempts(
  attempts: readonly RecordedAttempt[],
  arrivals: readonly ArrivalCall[],
  timeoutMs: number,
): Matching {
  const left = [...arrivals]
  const pairs: { attempt: RecordedAttempt; arrival: ArrivalCall }[] = []
  const unmatched: RecordedAttempt[] = []
  for (const attempt of attempts.toSorted((one, other) => one.number - other.number)) {
    const index = left.findIndex((arrival) => isSame(attempt, arrival, timeoutMs))
    if (index >= 0) pairs.push({ attempt, arrival: left.splice(index, 1)[0]! })
    // Without a response, the request may not have reached the receiver.
    else if (attempt.status !== null) unmatched.push(attempt)
  }
  return { pairs, unmatched, unrecorded: left }
}

function isSame(attempt: RecordedAttempt, arrival: ArrivalCall, timeoutMs: number): boolean {
  const earliest = attempt.startedAt - clockToleranceMs
  const latest = attempt.startedAt + attempt.durationMs + clockToleranceMs
  if (arrival.from < earliest || arrival.from > latest) return false
  if (attempt.status !== null) return arrival.result?.status === attempt.status
  // The response arrived after the deadline, or not at all.
  return arrival.type !== 'ok' || attempt.durationMs >= timeoutMs
}
