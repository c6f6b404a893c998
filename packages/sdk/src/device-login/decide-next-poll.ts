import type { ApiProblem } from '../api-problem.ts'
import type { DeviceLogin } from '../api-types.ts'

/** What a poll came to. `no_answer`: nobody answered, or something that is not the API. */
export type PollAnswer =
  | { readonly kind: 'approved'; readonly login: DeviceLogin }
  | { readonly kind: 'problem'; readonly problem: ApiProblem }
  | { readonly kind: 'no_answer' }

/** Where a login stands between two polls. Times are in ms, points in time since 1970. */
export interface PollState {
  /** Between polls that are answered; it only grows. */
  readonly intervalMs: number
  /** Polls in a row that were not answered. */
  readonly failures: number
  /** From then on the code is dead. */
  readonly expiresAt: number
}

/** What comes next: a wait and then a poll, or the end. */
export type PollDecision =
  | { readonly do: 'wait'; readonly waitMs: number; readonly state: PollState }
  | { readonly do: 'end'; readonly outcome: 'approved'; readonly login: DeviceLogin }
  | { readonly do: 'end'; readonly outcome: 'refused' | 'expired' }
  | { readonly do: 'end'; readonly outcome: 'failed'; readonly problem: ApiProblem }

/** RFC 8628, section 3.2: where the answer names no interval. */
const intervalSecondsDefault = 5
/** RFC 8628, section 3.5: what a `slow_down` adds, for this and all later polls. */
const slowDownMs = 5_000
/** The lifetime of a device code where the response names none (docs/specification/device-login.md#start). */
const expiresSecondsDefault = 600
/** The first poll comes a little later than it may, so that no clock makes it come too early. */
const firstWaitFactor = 1.1
const failureWaitMaxMs = 30_000

/** What comes first: nobody has approved yet, so a wait. `now` in ms since 1970. */
export function startPolling(
  code: { readonly interval?: number; readonly expires_in?: number },
  now: number,
): PollDecision {
  const intervalMs = secondsOr(code.interval, intervalSecondsDefault) * 1_000
  const expiresAt = now + secondsOr(code.expires_in, expiresSecondsDefault) * 1_000
  return wait({ intervalMs, failures: 0, expiresAt }, intervalMs * firstWaitFactor, now)
}

/**
 * Decides what follows an answer (RFC 8628, section 3.5): `slow_down` lengthens the interval for good, a
 * missing answer doubles the wait up to 30 s and ends nothing, and the code's end is judged by the wall
 * clock, so that a machine that slept knows.
 *
 * @param now - when the answer came, in ms since 1970.
 */
export function decideNextPoll(state: PollState, answer: PollAnswer, now: number): PollDecision {
  if (answer.kind === 'approved') return { do: 'end', outcome: 'approved', login: answer.login }
  if (answer.kind === 'no_answer') return waitAfterFailure(state, now)
  const { problem } = answer
  switch (problem.code) {
    case 'authorization_pending':
      return wait({ ...state, failures: 0 }, state.intervalMs, now)
    case 'slow_down': {
      const intervalMs = state.intervalMs + slowDownMs
      return wait({ ...state, intervalMs, failures: 0 }, intervalMs, now)
    }
    case 'access_denied':
      return { do: 'end', outcome: 'refused' }
    case 'expired_token':
      return { do: 'end', outcome: 'expired' }
  }
  const isLater = problem.status === 429 || problem.status >= 500
  if (isLater) return waitAfterFailure(state, now, problem.retryAfterSeconds)
  return { do: 'end', outcome: 'failed', problem }
}

/** Where the answer says when to come back, then; but not sooner than the interval. */
function waitAfterFailure(state: PollState, now: number, retryAfterSeconds?: number): PollDecision {
  const { intervalMs } = state
  const failures = state.failures + 1
  const doubledMs = Math.min(intervalMs * 2 ** failures, failureWaitMaxMs)
  const askedMs = retryAfterSeconds === undefined ? doubledMs : retryAfterSeconds * 1_000
  return wait({ ...state, failures }, Math.max(intervalMs, askedMs), now)
}

/** The last poll comes at the code's end at the latest, not after it. */
function wait(state: PollState, waitMs: number, now: number): PollDecision {
  const leftMs = state.expiresAt - now
  if (leftMs <= 0) return { do: 'end', outcome: 'expired' }
  return { do: 'wait', waitMs: Math.min(waitMs, leftMs), state }
}

const secondsOr = (value: number | undefined, fallback: number): number =>
  value !== undefined && Number.isFinite(value) && value > 0 ? value : fallback
