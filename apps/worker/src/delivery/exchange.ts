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
  /** Its lookups are limited. */
  readonly tenantId: string
}

interface ExchangeOptions {
  readonly client: HttpClient
  /** In the time of `performance.now()`. */
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

    // Once the headers have arrived in time, the body cannot change the outcome.
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

/** Reads and discards a body up to its end or the size limit. */
function drain(body: Readable, done: () => void): void {
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
  /** Whether the connection was dead from the start: it was pooled, and has received nothing since. */
  isStale: () => boolean
}

/** Updates the phase of a request as its connection progresses. */
function watchConnection(request: ClientRequest, phase: Phase): void {
  request.once('socket', (socket: Socket) => {
    const bytesBefore = socket.bytesRead
    phase.isStale = () => request.reusedSocket && socket.bytesRead === bytesBefore
    if (!socket.connecting) phase.errorOnDeadline = 'timeout'
    else socket.once('connect', () => (phase.errorOnDeadline = 'timeout'))
  })
}

/** Adapts a resolver to Node's `lookup` option, for one exchange. */
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
