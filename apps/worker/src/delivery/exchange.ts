import { outcomeOfStatus, type AttemptOutcome, type ErrorClass } from '@hosting/core'
import type { LookupAddress } from 'node:dns'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { classifyError } from './classify-error.ts'
import { ConnectionError } from './connection-error.ts'
import type { HttpClient } from './http-clients.ts'
import type { Resolve } from './resolver.ts'
import { bodyBytesMax, limitResponse } from './response-limits.ts'
import { targetOf } from './target.ts'

/** One POST to an endpoint. */
export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whose look-ups are counted. */
  readonly tenantId: string
}

interface ExchangeOptions {
  readonly client: HttpClient
  /** On the clock of `performance.now()`. */
  readonly deadline: number
  readonly resolve: Resolve
}

/** What came of one request over one connection. */
export interface Exchange {
  readonly outcome: AttemptOutcome
  /** A pooled connection that the receiver had closed already: nothing of a response came. */
  readonly staleConnection: boolean
}

/** Sends one request over one connection, and reads its response within the limits and the deadline. */
export function exchange(
  { url, headers, body, tenantId }: SendRequest,
  { client, deadline, resolve }: ExchangeOptions,
): Promise<Exchange> {
  return new Promise((settle) => {
    const target = targetOf(url)
    const phase: Phase = {
      errorOnDeadline: target.isAddress ? 'connect_timeout' : 'dns_error',
      isStale: () => false,
    }
    let responded: AttemptOutcome | undefined
    const timer = setTimeout(
      () => fail(phase.errorOnDeadline),
      Math.max(0, deadline - performance.now()),
    )
    const posted = client(
      {
        target,
        body,
        headers,
        lookup: lookupWith(
          (host) => resolve(host, tenantId),
          () => (phase.errorOnDeadline = 'connect_timeout'),
        ),
      },
      { onRequest, onResponse, onError: (error) => fail(classifyError(error), phase.isStale()) },
    )

    // Once the headers came in time, nothing that the body does changes the outcome.
    function finish(outcome: AttemptOutcome, staleConnection = false): void {
      clearTimeout(timer)
      settle({ outcome: responded ?? outcome, staleConnection })
      posted.destroy()
    }
    function fail(errorClass: ErrorClass, staleConnection?: boolean): void {
      finish({ statusCode: null, errorClass }, staleConnection)
    }
    function onRequest(request: ClientRequest): void {
      watchConnection(request, phase)
      limitResponse(request, () => fail('protocol_error'))
      // Node emits no `response` for 101 Switching Protocols.
      request.once('upgrade', ({ statusCode }: IncomingMessage, socket: Socket) => {
        socket.destroy()
        finish(outcomeOfStatus(statusCode!))
      })
    }
    function onResponse({ statusCode }: IncomingMessage, responseBody: Readable): void {
      const outcome = outcomeOfStatus(statusCode!)
      responded = outcome
      drain(responseBody, () => finish(outcome))
    }
  })
}

/** Reads a body to its end, or until it is too long, and keeps nothing of it. */
function drain(body: Readable, done: () => void): void {
  let bytes = 0
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bodyBytesMax) done()
  })
  body.once('end', done)
  body.once('close', done)
}

/** How far an exchange has come. */
export interface Phase {
  /** What it means if the deadline comes now. */
  errorOnDeadline: ErrorClass
  /** Whether the connection was dead from the start: it was pooled, and nothing has come over it since. */
  isStale: () => boolean
}

/** Keeps the phase of a request in step with its connection. */
function watchConnection(request: ClientRequest, phase: Phase): void {
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
