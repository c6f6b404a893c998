/**
 * The default delay before each retry, in seconds (docs/specification/deliveries.md#retries).
 * `WEBHOOK_RETRY_DELAYS_SECONDS` replaces it. `npm run generate` writes it into the documents. The tests of
 * {@link decideNextStep} have delays of their own, and check that `slowLaneMs` of `lanes.ts` outlasts the first delay.
 */
export const retryDelaysSecondsDefault = [60, 300, 1_800, 7_200, 21_600, 43_200]

/**
 * The random part of a delay is at most this share of the delay, and at most {@link retrySpreadMsMax}. It spreads retries of
 * deliveries that failed at the same time.
 */
export const retrySpreadShare = 0.1

/** Maximum random part of a delay, in ms. */
export const retrySpreadMsMax = 60_000

/** What follows an attempt: the delivery is complete, or the next attempt is due after a delay. */
export type NextStep =
  | { readonly status: 'succeeded' }
  | { readonly status: 'dead' }
  | { readonly status: 'waiting_retry'; readonly delayMs: number }

/**
 * Decides what follows an attempt (docs/specification/deliveries.md#retries). A delay is never shorter than the
 * schedule's. It is longer by at most {@link retrySpreadShare} of it or {@link retrySpreadMsMax}, whichever is less. The
 * worker calls it in apps/worker/src/delivery/make-attempt.ts, and finish-attempts.sql stores the decision.
 *
 * @param outcome - `errorClass`: null for a success.
 * @param number - the number of the attempt, from 1.
 * @param settings - `retryDelaysMs`: the schedule. Its first entry follows attempt 1. After the last entry, a failure makes
 *   the delivery dead. `random`: the share of the maximum random delay to add, from 0 up to 1.
 */
export function decideNextStep(
  { errorClass }: { readonly errorClass: string | null },
  number: number,
  { retryDelaysMs, random }: { retryDelaysMs: readonly number[]; random: number },
): NextStep {
  if (errorClass === null) return { status: 'succeeded' }
  const delayMs = retryDelaysMs[number - 1]
  if (delayMs === undefined) return { status: 'dead' }
  const spreadMs = Math.min(delayMs * retrySpreadShare, retrySpreadMsMax)
  return { status: 'waiting_retry', delayMs: Math.round(delayMs + spreadMs * random) }
}
