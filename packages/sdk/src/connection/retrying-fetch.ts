import { ConnectionError } from './connection-error.ts'
import { readBody, retryAfterOf, type HttpResponse } from './response.ts'

/** How requests are sent. */
export interface FetchSettings extends RetryPolicy {
  readonly fetch: typeof globalThis.fetch
  /** How long one attempt may take, including its body, in ms. */
  readonly timeoutMs: number
  /** The operations that are sent once, as a method and a path: a retry would do their work again. */
  readonly notRetryable: RegExp
  /** Removes the credential from a response that becomes an error. */
  readonly conceal: (text: string) => string
}

/** A request that is the same at each attempt. */
interface PreparedRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/**
 * Creates a `fetch` that retries as {@link decideRetry} decides. Writes get an `Idempotency-Key`, which is
 * the same at each attempt.
 *
 * @returns a `fetch` that resolves only to successful responses whose JSON is complete.
 * @throws ApiProblem for any other response, ConnectionError for none, or the signal's reason.
 */
export function retryingFetch(settings: FetchSettings): (request: Request) => Promise<Response> {
  return async (request) => {
    const { url, method, headers, signal } = request
    const isRead = method === 'GET'
    const isRetryable = isRead || !settings.notRetryable.test(`${method} ${new URL(url).pathname}`)
    if (!isRead && isRetryable && !headers.has('Idempotency-Key')) {
      headers.set('Idempotency-Key', crypto.randomUUID())
    }
    const body = request.body === null ? undefined : await request.text()
    const policy = { ...settings, retries: isRetryable ? settings.retries : 0 }
    const response = await send({ url, method, headers, body, signal }, settings, policy)
    readBody(response, settings.conceal)
    return new Response(response.text === '' ? null : response.text, { status: response.status })
  }
}

async function send(
  request: PreparedRequest,
  settings: FetchSettings,
  policy: RetryPolicy,
): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt++) {
    const result = await tryOnce(request, settings)
    const waitMs = decideRetry(outcomeOf(result), attempt, { ...policy, random: Math.random() })
    if (waitMs !== undefined) await sleep(waitMs, request.signal)
    else if (result instanceof ConnectionError) throw result
    else return result
  }
}

/** Makes one attempt. A missing response is a value. @throws the signal's reason. */
async function tryOnce(
  { url, signal, ...init }: PreparedRequest,
  { fetch, timeoutMs }: FetchSettings,
): Promise<HttpResponse | ConnectionError> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      ...toInit(init),
      signal: AbortSignal.any([signal, timeout]),
    })
    const { status, headers } = response
    return { status, headers, text: await response.text() }
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    return toConnectionError(url, cause)
  }
}

/** Redirects are not followed: their target is not the API and must not receive the key. */
const toInit = ({ body, ...init }: Omit<PreparedRequest, 'url' | 'signal'>): RequestInit => ({
  ...init,
  ...(body !== undefined && { body }),
  redirect: 'manual',
})

/** Describes an error that `fetch` threw. */
export function toConnectionError(url: string, cause: unknown): ConnectionError {
  const isTimeout = cause instanceof DOMException && cause.name === 'TimeoutError'
  const { host } = new URL(url)
  const message = isTimeout ? `${host} did not respond in time.` : `${host} could not be reached.`
  return new ConnectionError(message, { cause })
}

const outcomeOf = (result: HttpResponse | ConnectionError): AttemptOutcome =>
  result instanceof ConnectionError
    ? { kind: 'no_response' }
    : {
        kind: 'response',
        status: result.status,
        retryAfterSeconds: retryAfterOf(result.headers),
      }

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** How an attempt ended. */
export type AttemptOutcome =
  | { readonly kind: 'no_response' }
  | {
      readonly kind: 'response'
      readonly status: number
      readonly retryAfterSeconds: number | undefined
    }

/** How long a client keeps retrying. */
interface RetryPolicy {
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
