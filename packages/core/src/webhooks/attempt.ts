/** Why an attempt failed (docs/specification/deliveries.md#attempt-record). */
export const errorClasses = [
  'address_not_public',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'connect_timeout',
  'timeout',
  'tls_error',
  'redirect',
  'http_error',
  'protocol_error',
  'internal_error',
] as const

/** A class of {@link errorClasses}. */
export type ErrorClass = (typeof errorClasses)[number]

/** The outcome of one attempt. `errorClass` is `null` on success; `statusCode` is `null` without a response. */
export interface AttemptOutcome {
  readonly statusCode: number | null
  readonly errorClass: ErrorClass | null
}

/**
 * The outcome of a response by its status code: 2xx succeeds, 3xx is never followed
 * (docs/specification/deliveries.md#outcome).
 */
export function outcomeOfStatus(statusCode: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return { statusCode, errorClass: null }
  return {
    statusCode,
    errorClass: statusCode >= 300 && statusCode < 400 ? 'redirect' : 'http_error',
  }
}

/** What follows an attempt: the delivery is complete, or the next attempt is due after a delay. */
export type NextStep =
  | { readonly status: 'succeeded' }
  | { readonly status: 'dead' }
  | { readonly status: 'waiting_retry'; readonly delayMs: number }

/** Limits of the random part of a delay. It spreads retries of deliveries that failed at the same time. */
const spreadShare = 0.1
const spreadMsMax = 60_000

/**
 * Decides what follows an attempt (docs/specification/deliveries.md#retries). A delay is never shorter than the
 * schedule's. It is longer by at most a tenth or one minute, whichever is less.
 *
 * @param number - the number of the attempt, from 1.
 * @param retryDelaysMs - the schedule: the first entry follows attempt 1. After the last the delivery is dead.
 * @param random - the share of the maximum random delay to add, from 0 up to 1.
 */
export function decideNextStep(
  { errorClass }: AttemptOutcome,
  number: number,
  { retryDelaysMs, random }: { retryDelaysMs: readonly number[]; random: number },
): NextStep {
  if (errorClass === null) return { status: 'succeeded' }
  const delayMs = retryDelaysMs[number - 1]
  if (delayMs === undefined) return { status: 'dead' }
  const spreadMs = Math.min(delayMs * spreadShare, spreadMsMax)
  return { status: 'waiting_retry', delayMs: Math.round(delayMs + spreadMs * random) }
}
