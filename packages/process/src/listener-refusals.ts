import { createUuidv7 } from '@hosting/core/ids'
import { Problem, problemDocument } from '@hosting/core/problems'
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ListenerLimits } from './listener-limits.ts'
import type { Logger } from './logger.ts'
import { requestIdOf } from './request-id.ts'
import { responseHeaders } from './security-headers.ts'

/** Checks a request before routing, for what Node's parser does not check. */
export function findError(
  { url = '', httpVersion, rawHeaders, headers }: IncomingMessage,
  { urlBytesMax, headerFieldsMax }: ListenerLimits,
): Problem | undefined {
  if (url.length > urlBytesMax) {
    return tooLarge(`The URL is longer than ${urlBytesMax.toLocaleString('en')} bytes.`)
  }
  if (rawHeaders.length / 2 > headerFieldsMax) {
    return tooLarge(`The request has more than ${headerFieldsMax} header fields.`)
  }
  const isNewer = httpVersion === '1.1'
  if (!isNewer && httpVersion !== '1.0')
    return malformed('Only HTTP/1.1 and HTTP/1.0 are supported.')
  // RFC 9112, section 3.2.
  const hosts = countFields(rawHeaders, 'host')
  if (hosts > 1 || (hosts === 0 && isNewer)) {
    return malformed('The request must have one Host header field.')
  }
  // As with a second Host, a proxy and this service could use different credentials.
  if (countFields(rawHeaders, 'authorization') > 1) {
    return malformed('The request must have at most one Authorization header field.')
  }
  // RFC 9112, section 6.1. Two interpretations of where a body ends allow request smuggling.
  const coding = headers['transfer-encoding']
  return coding !== undefined && (!isNewer || coding.toLowerCase() !== 'chunked')
    ? malformed('Only the chunked transfer coding is supported, and only in HTTP/1.1.')
    : undefined
}

/** This runs on every request, so it compares lengths first. */
function countFields(rawHeaders: readonly string[], field: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === field.length && name.toLowerCase() === field) count += 1
  }
  return count
}

/**
 * Refuses a request before the app sees it. Later requests on the connection must not be served either. So this
 * ends the socket; ending only the response would let them through.
 */
export function refuseRequest(
  req: IncomingMessage,
  res: ServerResponse,
  { problem, log }: { problem: Problem; log: Logger | undefined },
): void {
  const { socket } = req
  const headers = res.getHeaders() as Record<string, string>
  if (currentResponse(socket) === res) end(socket, { problem, req, log, headers })
  else socket.destroy()
}

/**
 * Sends a problem document for malformed or incomplete requests and for CONNECT, and closes the connection. Node
 * passes these to the server as sockets, without a response object.
 */
export function handleClientErrors(
  server: Server,
  { limits, log }: { limits: ListenerLimits; log: Logger | undefined },
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const req = currentResponse(socket)?.req
    if (socket.writableEnded) return
    if (!canRespond(error, socket)) socket.destroy()
    else end(socket, { problem: problemOf(error, limits), req, log })
  })
  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    const allow = { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' }
    const facts = { method: 'CONNECT' }
    const problem = new Problem('method_not_allowed', { facts, headers: allow })
    socket.on('error', () => socket.destroy())
    end(socket, { problem, req, log })
  })
}

/** The current response of a connection, in an internal property of Node. Node's own error responses use it, too. */
export const currentResponse = (socket: Socket & { [responseProperty]?: ServerResponse | null }) =>
  socket[responseProperty]

const responseProperty = '_httpMessage'

/**
 * Whether an error response is safe. It is not if a response was started. It is not if the current request is
 * complete: then the error is in the data after it, and the client would read the error as the response to that
 * request. A connection without any data, for example a browser's preconnect, expects no response.
 */
function canRespond({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  if (!socket.writable || socket.bytesRead === 0 || !isError(code)) return false
  const response = currentResponse(socket)
  return !response || (!response.headersSent && !response.req.complete)
}

/** Whether the client sent an invalid request. `false` for a broken connection. */
const isError = (code = ''): boolean => code.startsWith('HPE_') || code === timedOut

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT'

function problemOf({ code }: NodeJS.ErrnoException, { headerBytesMax }: ListenerLimits): Problem {
  if (code === timedOut) return malformed('The request did not arrive completely in time.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    return tooLarge(`The header fields are larger than ${headerBytesMax / 2 ** 10} KiB.`)
  }
  return code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
    ? tooLarge('The chunk extensions of the request are larger than 16 KiB.')
    : malformed('The request is not valid HTTP.')
}

const malformed = (detail: string): Problem => new Problem('malformed_request', { detail })
const tooLarge = (detail: string): Problem => new Problem('payload_too_large', { detail })

interface Ending {
  readonly problem: Problem
  readonly req: IncomingMessage | undefined
  readonly log: Logger | undefined
  /** By default, the headers of every response. */
  readonly headers?: Readonly<Record<string, string>>
}

function end(
  socket: Duplex,
  { problem, req, log, headers: common = Object.fromEntries(responseHeaders) }: Ending,
): void {
  const requestId = req ? requestIdOf(req) : createUuidv7()
  const { status, code, message: reason } = problem
  log?.debug({ requestId, status, code, reason }, 'a request was refused by the listener')
  const instance = req?.url?.split('?')[0] ?? ''
  const body = JSON.stringify(problemDocument(problem, { instance, requestId }))
  const headers = {
    ...common,
    ...problem.headers,
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  const content = req?.method === 'HEAD' ? '' : body
  socket.end(`${start}${lines.join('')}\r\n${content}`, () => socket.destroy())
}
