import {
  hostOf,
  outcomeOfStatus,
  type AddressPolicy,
  type AttemptOutcome,
  type ErrorClass,
} from '@hosting/core'
import got, { type Got, type Request } from 'got'
import type { LookupAddress } from 'node:dns'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { classifyError } from './classify-error.ts'
import { ConnectionError } from './connection-error.ts'
import { createGuardedAgents, type GuardedAgents } from './guarded-agents.ts'
import { createResolver, type Resolve } from './resolver.ts'
import { bodyBytesMax, limitResponse } from './response-limits.ts'

/** One POST to an endpoint. */
export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whose look-ups are counted. */
  readonly tenantId: string
}

/** Sends, and gives what came of it. It never throws for what the network or the receiver does. */
export interface Sender {
  send(request: SendRequest): Promise<AttemptOutcome>
  close(): void
}

/** What a sender is made with. */
export interface SenderOptions {
  /** Of an attempt as a whole, its second try included. */
  readonly timeoutMs: number
  readonly resolve?: Resolve
}

/**
 * The sender of this process: pooled connections behind the guard, one deadline over name, connection,
 * TLS, headers and body, no redirects and no proxies.
 */
export function createSender(
  policy: AddressPolicy,
  { timeoutMs, resolve = createResolver() }: SenderOptions,
): Sender {
  const pooled = createGuardedAgents(policy, { keepAlive: true })
  const fresh = createGuardedAgents(policy, { keepAlive: false })
  const overPooled = clientOver(pooled)
  const overFresh = clientOver(fresh)
  return {
    async send(request) {
      const deadline = performance.now() + timeoutMs
      const first = await exchange(request, { client: overPooled, deadline, resolve })
      if (!first.staleConnection) return first.outcome
      return (await exchange(request, { client: overFresh, deadline, resolve })).outcome
    },
    close() {
      pooled.destroy()
      fresh.destroy()
    },
  }
}

/** A client of got: it checks and copies these options once, and not again for every request. */
const clientOver = ({ http, https }: GuardedAgents): Got =>
  got.extend({
    agent: { http, https },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    strictContentLength: false,
    retry: { limit: 0 },
  })

interface ExchangeOptions {
  readonly client: Got
  /** On the clock of `performance.now()`. */
  readonly deadline: number
  readonly resolve: Resolve
}

interface Exchange {
  readonly outcome: AttemptOutcome
  /** A pooled connection that the receiver had closed already: nothing of an answer came. */
  readonly staleConnection: boolean
}

function exchange(
  { url, headers, body, tenantId }: SendRequest,
  { client, deadline, resolve }: ExchangeOptions,
): Promise<Exchange> {
  return new Promise((settle) => {
    const phase: Phase = {
      errorOnDeadline: isIP(hostOf(new URL(url))) ? 'connect_timeout' : 'dns_error',
      isStale: () => false,
    }
    const stream = client.stream.post(url, {
      body,
      headers: { 'accept-encoding': 'identity', ...headers },
      dnsLookup: lookupWith(
        (host) => resolve(host, tenantId),
        () => (phase.errorOnDeadline = 'connect_timeout'),
      ),
    })
    let answered: AttemptOutcome | undefined
    const timer = setTimeout(
      () => finish({ statusCode: null, errorClass: phase.errorOnDeadline }),
      Math.max(0, deadline - performance.now()),
    )

    // Once the headers came in time, nothing that the body does changes the outcome.
    function finish(outcome: AttemptOutcome, staleConnection = false): void {
      clearTimeout(timer)
      settle({ outcome: answered ?? outcome, staleConnection })
      stream.destroy()
    }

    stream.once('request', (request: ClientRequest) => {
      watchConnection(request, phase)
      limitResponse(request, () => finish({ statusCode: null, errorClass: 'protocol_error' }))
      // An answer that changes the protocol is no `response` to Node: 101 Switching Protocols.
      request.once('upgrade', ({ statusCode }: IncomingMessage, socket: Socket) => {
        socket.destroy()
        finish(outcomeOfStatus(statusCode!))
      })
    })
    stream.once('response', ({ statusCode }: IncomingMessage) => {
      const outcome = outcomeOfStatus(statusCode!)
      answered = outcome
      drain(stream, () => finish(outcome))
    })
    stream.on('error', (error) => {
      finish({ statusCode: null, errorClass: classifyError(error) }, phase.isStale())
    })
  })
}

/** Reads a body to its end, or until it is too long, and keeps nothing of it. */
function drain(stream: Request, done: () => void): void {
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bodyBytesMax) done()
  })
  stream.once('end', done)
  stream.once('close', done)
}

/** How far an exchange has come. */
export interface Phase {
  /** What it means if the deadline comes now. */
  errorOnDeadline: ErrorClass
  /** Whether the connection was dead from the start: it was pooled, and nothing has come over it since. */
  isStale: () => boolean
}

/** Keeps the phase of a request of Node's in step with its connection. */
export function watchConnection(request: ClientRequest, phase: Phase): void {
  request.once('socket', (socket: Socket) => {
    const bytesBefore = socket.bytesRead
    phase.isStale = () => request.reusedSocket && socket.bytesRead === bytesBefore
    if (!socket.connecting) phase.errorOnDeadline = 'timeout'
    else socket.once('connect', () => (phase.errorOnDeadline = 'timeout'))
  })
}

/** Node's form of a look-up, for one exchange. */
export function lookupWith(
  resolve: (host: string) => Promise<LookupAddress[]>,
  onResolved: () => void,
): LookupFunction {
  return (host, _options, callback) => {
    resolve(host).then(
      (addresses) => {
        onResolved()
        return addresses.length > 0
          ? callback(null, addresses)
          : callback(new ConnectionError('dns_error', `The name ${host} has no address.`), [])
      },
      (error: unknown) =>
        callback(
          error instanceof Error ? error : new ConnectionError('dns_error', String(error)),
          [],
        ),
    )
  }
}
