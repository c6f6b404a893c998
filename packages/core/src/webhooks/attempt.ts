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

/** What came of one attempt. `errorClass` is null on success; `statusCode` is null without an answer. */
export interface AttemptOutcome {
  readonly statusCode: number | null
  readonly errorClass: ErrorClass | null
}

/**
 * The outcome of an answer by its status: 2xx succeeds, 3xx is never followed
 * (docs/specification/deliveries.md#outcome).
 */
export function outcomeOfStatus(statusCode: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return { statusCode, errorClass: null }
  return {
    statusCode,
    errorClass: statusCode >= 300 && statusCode < 400 ? 'redirect' : 'http_error',
  }
}

/** What follows an attempt: the delivery has ended, or its next attempt is due after a delay. */
export type Sequel =
  | { readonly status: 'succeeded' }
  | { readonly status: 'dead' }
  | { readonly status: 'waiting_retry'; readonly delayMs: number }

/** What of a delay is added at random, at most: so that what failed at once does not come back at once. */
const spreadShare = 0.1
const spreadMsMax = 60_000

/**
 * Decides what follows an attempt (docs/specification/deliveries.md#retries). A delay is never shorter than
 * the schedule's, and up to a tenth of it or a minute longer, whichever is less.
 *
 * @param number - of the attempt, from 1.
 * @param retryDelaysMs - the schedule: the first entry follows attempt 1; after the last the delivery is dead.
 * @param random - from 0 up to 1: where in its spread the delay lies.
 */
export function decideSequel(
  { errorClass }: AttemptOutcome,
  number: number,
  { retryDelaysMs, random }: { retryDelaysMs: readonly number[]; random: number },
): Sequel {
  if (errorClass === null) return { status: 'succeeded' }
  const delayMs = retryDelaysMs[number - 1]
  if (delayMs === undefined) return { status: 'dead' }
  const spreadMs = Math.min(delayMs * spreadShare, spreadMsMax)
  return { status: 'waiting_retry', delayMs: Math.round(delayMs + spreadMs * random) }
}
