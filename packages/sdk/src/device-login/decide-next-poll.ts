import type { ApiProblem } from '../connection/api-problem.ts'
import type { DeviceLogin } from '../api-types.ts'

/** The result of a poll. `no_response`: none came. */
export type PollResult =
  | { readonly kind: 'approved'; readonly login: DeviceLogin }
  | { readonly kind: 'problem'; readonly problem: ApiProblem }
  | { readonly kind: 'no_response' }

/** The state of a login between two polls. Points in time are in ms since 1970. */
export interface PollState {
  /** The interval between polls; it never shrinks. */
  readonly intervalMs: number
  /** Consecutive polls without a usable response. */
  readonly failures: number
  /** When the code expires. */
  readonly expiresAt: number
}

/** What to do next: wait and poll again, or end. */
export type PollDecision =
  | { readonly do: 'wait'; readonly waitMs: number; readonly state: PollState }
  | { readonly do: 'end'; readonly outcome: 'approved'; readonly login: DeviceLogin }
  | { readonly do: 'end'; readonly outcome: 'expired' }
  /** `detail` says who or what denied the login. */
  | { readonly do: 'end'; readonly outcome: 'refused'; readonly detail: string }
  | { readonly do: 'end'; readonly outcome: 'failed'; readonly problem: ApiProblem }

/** RFC 8628, section 3.2: the default interval. */
const intervalSecondsDefault = 5
/** RFC 8628, section 3.5: what `slow_down` adds to the interval, for this and all later polls. */
export const slowDownMs = 5_000
/** The lifetime of a device code where the response names none (docs/specification/device-login.md#start). */
const expiresSecondsDefault = 600
/** Delays the first poll slightly, so that clock differences do not make it too early. */
const firstWaitFactor = 1.1
const failureWaitMaxMs = 30_000

/** Starts with a wait: nobody can have approved yet. `now` is in ms since 1970. */
export function startPolling(
  code: { readonly interval?: number; readonly expires_in?: number },
  now: number,
): PollDecision {
  const intervalMs = secondsOr(code.interval, intervalSecondsDefault) * 1_000
  const expiresAt = now + secondsOr(code.expires_in, expiresSecondsDefault) * 1_000
  return wait({ intervalMs, failures: 0, expiresAt }, intervalMs * firstWaitFactor, now)
}

/**
 * Decides what to do after a poll (RFC 8628, section 3.5). `slow_down` lengthens the interval permanently. A
 * missing response doubles the wait, up to 30 s, and does not end the login. Expiry is checked by the wall
 * clock, which stays right when the machine sleeps.
 *
 * @param now - when the result came, in ms since 1970.
 */
export function decideNextPoll(state: PollState, result: PollResult, now: number): PollDecision {
  if (result.kind === 'approved') return { do: 'end', outcome: 'approved', login: result.login }
  if (result.kind === 'no_response') return waitAfterFailure(state, now)
  const { problem } = result
  switch (problem.code) {
    case 'authorization_pending':
      return wait({ ...state, failures: 0 }, state.intervalMs, now)
    case 'slow_down': {
      const intervalMs = state.intervalMs + slowDownMs
      return wait({ ...state, intervalMs, failures: 0 }, intervalMs, now)
    }
    case 'access_denied':
      return { do: 'end', outcome: 'refused', detail: problem.detail }
    case 'expired_token':
      return { do: 'end', outcome: 'expired' }
  }
  const isTemporary = problem.status === 429 || problem.status >= 500
  if (isTemporary) return waitAfterFailure(state, now, problem.retryAfterSeconds)
  return { do: 'end', outcome: 'failed', problem }
}

/** Waits as long as `Retry-After` says, but at least the interval. */
function waitAfterFailure(state: PollState, now: number, retryAfterSeconds?: number): PollDecision {
  const { intervalMs } = state
  const failures = state.failures + 1
  const doubledMs = Math.min(intervalMs * 2 ** failures, failureWaitMaxMs)
  const requestedMs = retryAfterSeconds === undefined ? doubledMs : retryAfterSeconds * 1_000
  return wait({ ...state, failures }, Math.max(intervalMs, requestedMs), now)
}

/** The last poll is sent when the code expires, not later. */
function wait(state: PollState, waitMs: number, now: number): PollDecision {
  const leftMs = state.expiresAt - now
  if (leftMs <= 0) return { do: 'end', outcome: 'expired' }
  return { do: 'wait', waitMs: Math.min(waitMs, leftMs), state }
}

const secondsOr = (value: number | undefined, fallback: number): number =>
  value !== undefined && Number.isFinite(value) && value > 0 ? value : fallback
