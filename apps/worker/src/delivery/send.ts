import { hostOf, type AddressPolicy } from '@hosting/core/network'
import { outcomeOfStatus, type AttemptOutcome, type ErrorClass } from '@hosting/core/webhooks'
import {
  createGuardedAgents,
  headBytesMax,
  limitResponse,
  lookupWith,
  tlsFailureOf,
  type GuardedAgents,
  type Resolve,
} from '@hosting/process'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { classifyError } from './classify-error.ts'

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

/** Sends a request and returns its outcome. Never throws because of the network or the receiver. */
export interface Sender {
  send(request: SendRequest): Promise<AttemptOutcome>
  close(): void
}

/** The options of a sender. */
export interface SenderOptions {
  /** For the attempt as a whole, including its second try. */
  readonly timeoutMs: number
  readonly resolve: Resolve
}

/**
 * Creates the sender of this process. It pools connections behind the guard, has one deadline for
 * lookup, connection, TLS, headers and body, and uses no redirects and no proxies.
 */
export function createSender(policy: AddressPolicy, { timeoutMs, resolve }: SenderOptions): Sender {
  const pooled = createGuardedAgents(policy, { keepAlive: true })
  const fresh = createGuardedAgents(policy, { keepAlive: false })
  return {
    async send(request) {
      const deadline = performance.now() + timeoutMs
      const first = await exchange(request, { agents: pooled, deadline, resolve })
      if (!first.staleConnection) return first.outcome
      return (await exchange(request, { agents: fresh, deadline, resolve })).outcome
    },
    close() {
      pooled.destroy()
      fresh.destroy()
    },
  }
}

/** The maximum number of bytes of a body that are read and discarded so that the connection can be reused. */
export const bodyBytesMax = 64 * 1_024

interface ExchangeOptions {
  readonly agents: GuardedAgents
  /** A time of `performance.now()`. */
  readonly deadline: number
  readonly resolve: Resolve
}

/** The result of one request over one connection. */
interface Exchange {
  readonly outcome: AttemptOutcome
  /** Whether a pooled connection was already closed by the receiver: no byte of a response arrived. */
  readonly staleConnection: boolean
}

/** Sends one request over one connection and reads the response within the limits and the deadline. */
function exchange(
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
interface Phase {
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

/** One POST over one connection. */
interface Post extends Pick<SendRequest, 'headers' | 'body'> {
  readonly target: Target
  readonly lookup: LookupFunction
}

/**
 * Sends one POST through a pair of agents. The body is written in one piece: a receiver may respond and reset the
 * connection before it has read the whole body, and the response must still be read.
 *
 * @throws Error if the headers are invalid.
 */
function sendPost({ target, headers, body, lookup }: Post, agents: GuardedAgents): ClientRequest {
  // Node stores an array of headers without looking up each of them, which saves an eighth of the
  // CPU time.
  const all = ['host', target.url.host, 'accept-encoding', 'identity']
  for (const name in headers) all.push(name, headers[name]!)
  all.push('content-length', String(Buffer.byteLength(body)))
  const options = { ...target.options, method: 'POST', headers: all, lookup }
  const request = target.isSecure
    ? https.request({ ...options, agent: agents.https })
    : http.request({ ...options, agent: agents.http })
  request.end(body)
  return request
}

/** A parsed URL, as requests need it. */
interface Target {
  readonly url: URL
  readonly isSecure: boolean
  /** Whether the host is an IP address, which needs no lookup. */
  readonly isAddress: boolean
  /** The URL as Node's request options. */
  readonly options: ReturnType<typeof toOptions>
}

const targets = new Map<string, Target>()
const targetsMax = 10_000

/** Returns the target of a URL. Caches targets, up to a limit. */
function targetOf(text: string): Target {
  const present = targets.get(text)
  if (present) return present
  const url = new URL(text)
  const target = {
    url,
    isSecure: url.protocol === 'https:',
    isAddress: isIP(hostOf(url)) !== 0,
    options: toOptions(url),
  }
  if (targets.size >= targetsMax) targets.clear()
  targets.set(text, target)
  return target
}

const toOptions = (url: URL) => {
  const { protocol, hostname, port, path } = urlToHttpOptions(url)
  return { protocol, hostname, port, path, maxHeaderSize: headBytesMax }
}
