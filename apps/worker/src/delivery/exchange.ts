import { outcomeOfStatus, type AttemptOutcome, type ErrorClass } from '@hosting/core/webhooks'
import {
  limitResponse,
  lookupWith,
  tlsFailureOf,
  type GuardedAgents,
  type Resolve,
  ConnectionError,
} from '@hosting/process'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { sendPost, targetOf } from './post.ts'
import { isNativeError } from 'node:util/types'

/** The maximum number of bytes of a body that are read and discarded so that the connection can be reused. */
export const bodyBytesMax = 64 * 1_024

/** Called with the lookup of an endpoint's name if it takes longer than {@link slowLookupMs}. */
export type OnSlowLookup = (lookup: Promise<unknown>) => void

/** One POST to an endpoint. */
export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Its lookups are limited. */
  readonly tenantId: string
  readonly onSlowLookup?: OnSlowLookup | undefined
}

interface ExchangeOptions {
  readonly agents: GuardedAgents
  /** As `performance.now()` gives it. */
  readonly deadline: number
  readonly resolve: Resolve
}

/** The result of one request over one connection. */
export interface Exchange {
  readonly outcome: AttemptOutcome
  /** Whether a pooled connection was already closed by the receiver: no byte of a response arrived. */
  readonly staleConnection: boolean
}

/** Sends one request over one connection and reads the response within the limits and the deadline. */
export function exchange(
  { url, headers, body, tenantId, onSlowLookup = () => undefined }: SendRequest,
  { agents, deadline, resolve }: ExchangeOptions,
): Promise<Exchange> {
  return new Promise((settle) => {
    const target = targetOf(url)
    const phase: Phase = {
      errorOnDeadline: target.isAddress ? 'connect_timeout' : 'dns_error',
      isReused: () => false,
      isStale: () => false,
    }
    let responded: AttemptOutcome | undefined
    let request: ClientRequest | undefined
    const timer = setDeadline(deadline, () => fail(phase.errorOnDeadline))
    const lookup = lookupWith(
      (host) => noteIfSlow(resolve(host, tenantId), onSlowLookup),
      () => (phase.errorOnDeadline = 'connect_timeout'),
    )
    try {
      request = sendPost({ target, body, headers, lookup }, agents)
      watch(request)
    } catch (error) {
      finish(toFailure(error))
    }

    // Once the headers have arrived in time, the body cannot change the outcome.
    function finish(outcome: AttemptOutcome, staleConnection = false): void {
      clearTimeout(timer)
      settle({ outcome: responded ?? outcome, staleConnection })
      request?.destroy()
      lookup.end()
    }
    function fail(errorClass: ErrorClass): void {
      finish({ statusCode: null, errorClass })
    }
    function onError(error: Error): void {
      finish(toFailure(error), phase.isStale())
    }
    function watch(sent: ClientRequest): void {
      watchConnection(sent, phase)
      limitResponse(sent, { bodyBytesMax, onExceeded: () => fail('protocol_error') })
      sent.once('response', onResponse)
      // Node emits no `response` for 101 Switching Protocols.
      sent.once('upgrade', ({ statusCode }: IncomingMessage, socket: Socket) => {
        socket.destroy()
        finish(outcomeOfStatus(statusCode!))
      })
      sent.on('error', onError)
    }
    function onResponse(response: IncomingMessage): void {
      const outcome = outcomeOfStatus(response.statusCode!)
      if (phase.isReused() && isIdleTimeout(response)) return finish(outcome, true)
      responded = outcome
      response.on('error', onError)
      drain(response, () => finish(outcome))
    }
  })
}

/** The outcome of an error before the response. */
function toFailure(error: unknown): AttemptOutcome {
  const errorClass = classifyError(error)
  const failure = { statusCode: null, errorClass }
  return errorClass === 'tls_error' ? { ...failure, reason: tlsFailureOf(error) } : failure
}

/**
 * Runs a function at a time of `performance.now()`. After a stall of this process, timers fire before the sockets are
 * read, so the responses that have arrived come first.
 */
const setDeadline = (deadline: number, run: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(run), Math.max(0, deadline - performance.now()))

/**
 * Whether the receiver may have sent a response because the connection was idle, before the request arrived. A client
 * may then repeat the request on a new connection (RFC 9110, section 15.5.9).
 */
const isIdleTimeout = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === 408 && headers.connection?.toLowerCase() === 'close'

/** Reads and discards a body up to its end or the size limit. */
function drain(body: IncomingMessage, done: () => void): void {
  let bytes = 0
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bodyBytesMax) done()
  })
  body.once('end', done)
  body.once('close', done)
}

/** The progress of an exchange. */
export interface Phase {
  /** The error class if the deadline passes now. */
  errorOnDeadline: ErrorClass
  /** Whether the connection was pooled. */
  isReused: () => boolean
  /** Whether the connection was dead from the start: it was pooled, and has received nothing since. */
  isStale: () => boolean
}

/** Updates the phase of a request as its connection progresses. */
function watchConnection(request: ClientRequest, phase: Phase): void {
  request.once('socket', (socket: Socket) => {
    const bytesBefore = socket.bytesRead
    phase.isReused = () => request.reusedSocket
    phase.isStale = () => request.reusedSocket && socket.bytesRead === bytesBefore
    if (!socket.connecting) phase.errorOnDeadline = 'timeout'
    else socket.once('connect', () => (phase.errorOnDeadline = 'timeout'))
  })
}

/** A name server that works responds well within this time. */
const slowLookupMs = 100

function noteIfSlow<T>(lookup: Promise<T>, onSlow: OnSlowLookup): Promise<T> {
  const timer = setTimeout(() => onSlow(lookup), slowLookupMs)
  return lookup.finally(() => clearTimeout(timer))
}

/** The class of an error before the response (docs/specification/deliveries.md#attempt-record). */
export function classifyError(error: unknown): ErrorClass {
  const causes = causesOf(error)
  const connectionError = causes.find((cause) => cause instanceof ConnectionError)
  if (connectionError) return connectionError.errorClass
  for (const { code } of causes) {
    const found = code && rules.find(([pattern]) => pattern.test(code))
    if (found) return found[1]
  }
  return 'internal_error'
}

/** Codes of libuv (`errno`), of Node's TLS and of its HTTP parser. The first match wins. */
const rules: readonly [RegExp, ErrorClass][] = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/, 'connection_refused'],
  [/^ETIMEDOUT$/, 'connect_timeout'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns_error'],
  [/^HPE_/, 'protocol_error'],
  [/^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|EPROTO$)/, 'tls_error'],
  [
    /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)/,
    'tls_error',
  ],
  // `UNSPECIFIED` is Node's code for all errors of certificates that have no code of their own.
  [/^(ERROR_IN_CERT_|ERROR_IN_CRL_|PATH_LENGTH_EXCEEDED$|UNSPECIFIED$)/, 'tls_error'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'connection_reset'],
]

interface Cause {
  readonly code?: string
}

/** The error and its causes, innermost first, because wrappers hide the most specific code. */
function causesOf(error: unknown): Cause[] {
  const causes: (Error & Cause)[] = []
  let cause = error
  // `instanceof Error` is false for the errors of another realm.
  while (isNativeError(cause) && causes.length < causesMax) {
    causes.unshift(cause)
    cause = cause.cause
  }
  return causes
}

const causesMax = 5
