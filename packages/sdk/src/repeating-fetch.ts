import { readAnswer, retryAfterOf, type Answer } from './answer.ts'
import { ConnectionError } from './connection-error.ts'
import { decideRetry, type AttemptOutcome, type Patience } from './decide-retry.ts'
import { sleep } from './sleep.ts'

/** How requests are sent. */
export interface Sending extends Patience {
  readonly fetch: typeof globalThis.fetch
  /** How long one attempt may take, its body included, in ms. */
  readonly timeoutMs: number
}

/** What is sent, the same at each attempt. */
interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** Operations that ignore an Idempotency-Key, because they carry a password, a code or a token. They are sent once. */
const unrepeatable =
  /^POST .*\/auth\/(device\/(code|token)|session(\/confirm)?|password|revoke)$|^(POST|DELETE) .*\/auth\/factors\//

/**
 * Sends requests until they are answered: writes get an `Idempotency-Key`, the same at each attempt, and what
 * may be repeated is, as {@link decideRetry} says.
 *
 * @returns a `fetch` that gives wanted answers alone, their JSON whole.
 * @throws ApiProblem for every other answer, ConnectionError for none, or the signal's reason.
 */
export function repeatingFetch(sending: Sending): (request: Request) => Promise<Response> {
  return async (request) => {
    const { url, method, headers, signal } = request
    const isRead = method === 'GET'
    const isRepeatable = isRead || !unrepeatable.test(`${method} ${new URL(url).pathname}`)
    if (!isRead && isRepeatable && !headers.has('Idempotency-Key')) {
      headers.set('Idempotency-Key', crypto.randomUUID())
    }
    const body = request.body === null ? undefined : await request.text()
    const patience = { ...sending, retries: isRepeatable ? sending.retries : 0 }
    const answer = await send({ url, method, headers, body, signal }, sending, patience)
    readAnswer(answer)
    return new Response(answer.text === '' ? null : answer.text, { status: answer.status })
  }
}

async function send(sent: Sent, sending: Sending, patience: Patience): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const result = await tryOnce(sent, sending)
    const waitMs = decideRetry(outcomeOf(result), attempt, { ...patience, random: Math.random() })
    if (waitMs !== undefined) await sleep(waitMs, sent.signal)
    else if (result instanceof ConnectionError) throw result
    else return result
  }
}

/** One attempt. That no answer came is a value. @throws the signal's reason. */
async function tryOnce(
  { url, signal, ...init }: Sent,
  { fetch, timeoutMs }: Sending,
): Promise<Answer | ConnectionError> {
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

/** A redirect is followed nowhere: what it leads to is not the API, and must not get the key. */
const toInit = ({ body, ...init }: Omit<Sent, 'url' | 'signal'>): RequestInit => ({
  ...init,
  ...(body !== undefined && { body }),
  redirect: 'manual',
})

/** What `fetch` threw, in words for people. */
export function toConnectionError(url: string, cause: unknown): ConnectionError {
  const isLate = cause instanceof DOMException && cause.name === 'TimeoutError'
  const { host } = new URL(url)
  const message = isLate ? `${host} did not answer in time.` : `${host} could not be reached.`
  return new ConnectionError(message, { cause })
}

const outcomeOf = (result: Answer | ConnectionError): AttemptOutcome =>
  result instanceof ConnectionError
    ? { kind: 'no_answer' }
    : {
        kind: 'answer',
        status: result.status,
        retryAfterSeconds: retryAfterOf(result.headers),
      }
