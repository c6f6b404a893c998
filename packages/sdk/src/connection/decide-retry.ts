/** How an attempt ended. */
export type AttemptOutcome =
  | { readonly kind: 'no_response' }
  | {
      readonly kind: 'response'
      readonly status: number
      readonly retryAfterSeconds: number | undefined
    }

/** How long a client keeps retrying. */
export interface RetryPolicy {
  /** Maximum number of retries. */
  readonly retries: number
  /** The longest `Retry-After` that is waited for, in ms; a longer one is left to the caller. */
  readonly retryWaitMaxMs: number
}

const backoffFirstMs = 500
const backoffMaxMs = 8_000
/** Spreads clients that were limited at the same time. */
const jitterMs = 250

/** A gateway got no response from the service. */
const isGatewayError = (status: number): boolean => status === 502 || status === 504
const isTemporary = (status: number): boolean => status === 429 || status === 503

/**
 * Decides whether to retry a request.
 *
 * @param outcome - how the attempt ended.
 * @param attempt - the number of the attempt; the first is 1.
 * @param random - from 0 to 1.
 * @returns how long to wait before the retry, in ms; `undefined` for no retry.
 */
export function decideRetry(
  outcome: AttemptOutcome,
  attempt: number,
  { retries, retryWaitMaxMs, random }: RetryPolicy & { readonly random: number },
): number | undefined {
  if (attempt > retries) return undefined
  const backoffMs = Math.min(backoffFirstMs * 2 ** (attempt - 1), backoffMaxMs) * (0.5 + random / 2)
  if (outcome.kind === 'no_response' || isGatewayError(outcome.status)) return backoffMs
  const { status, retryAfterSeconds } = outcome
  // 409 with Retry-After: the first attempt is still running (`idempotency_in_progress`).
  if (!isTemporary(status) && (status !== 409 || retryAfterSeconds === undefined)) return undefined
  if (retryAfterSeconds === undefined) return backoffMs
  const waitMs = retryAfterSeconds * 1_000
  return waitMs <= retryWaitMaxMs ? waitMs + random * jitterMs : undefined
}
