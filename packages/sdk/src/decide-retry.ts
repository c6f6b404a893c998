/** What came of an attempt. */
export type AttemptOutcome =
  | { readonly kind: 'no_answer' }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly retryAfterSeconds: number | undefined
    }

/** How patient a client is. */
export interface Patience {
  /** Further attempts at most. */
  readonly retries: number
  /** A longer wait than this, in ms, is the caller's to decide on. */
  readonly retryWaitMaxMs: number
}

const backoffFirstMs = 500
const backoffMaxMs = 8_000
/** So that clients that were refused together do not come back together. */
const spreadMs = 250

/** A gateway's word that it got no answer. */
const isLost = (status: number): boolean => status === 502 || status === 504
const isLater = (status: number): boolean => status === 429 || status === 503

/**
 * Decides whether a request that may be repeated is sent again.
 *
 * @param outcome - of the attempt of this number, the first being 1.
 * @param random - from 0 to 1.
 * @returns the time to wait before, in ms; `undefined` if it is not.
 */
export function decideRetry(
  outcome: AttemptOutcome,
  attempt: number,
  { retries, retryWaitMaxMs, random }: Patience & { readonly random: number },
): number | undefined {
  if (attempt > retries) return undefined
  const backoffMs = Math.min(backoffFirstMs * 2 ** (attempt - 1), backoffMaxMs) * (0.5 + random / 2)
  if (outcome.kind === 'no_answer' || isLost(outcome.status)) return backoffMs
  const { status, retryAfterSeconds } = outcome
  // 409 with a time to wait: the first attempt still runs (`idempotency_in_progress`).
  if (!isLater(status) && (status !== 409 || retryAfterSeconds === undefined)) return undefined
  if (retryAfterSeconds === undefined) return backoffMs
  const waitMs = retryAfterSeconds * 1_000
  return waitMs <= retryWaitMaxMs ? waitMs + random * spreadMs : undefined
}
