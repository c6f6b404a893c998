import { createUuidv7 } from '@hosting/core/ids'
import { Problem, problemDocument } from '@hosting/core/problems'
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ListenerLimits } from './listener-limits.ts'
import type { Logger } from './logger.ts'
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
  if (!hostPattern.test(headers.host ?? '')) {
    return malformed(
      'The Host header field must be a host name or an address, with or without a port.',
    )
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

/** RFC 9110, section 7.2. HTTP/1.0 requests may have none. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?$/i

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
  refusal: Refusal & { readonly problem: Problem },
): void {
  const { socket } = req
  const headers = res.getHeaders() as Record<string, string>
  if (currentResponse(socket) === res) end(socket, { ...refusal, req, url: req.url!, headers })
  else socket.destroy()
}

/**
 * Sends a problem document for malformed or incomplete requests and for CONNECT, and closes the connection. Node
 * passes these to the server as sockets, without a response object.
 */
export function handleClientErrors(
  server: Server,
  { limits, ...refusal }: Refusal & { readonly limits: ListenerLimits },
): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const req = currentResponse(socket)?.req
    if (socket.writableEnded) return
    if (!canRespond(error, socket)) socket.destroy()
    else {
      const url = (req ? targetOf(req) : findTarget(error)) ?? ''
      end(socket, { ...refusal, problem: problemOf(error, limits), req, url })
    }
  })
  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    const allow = { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' }
    const facts = { method: 'CONNECT' }
    const problem = new Problem('method_not_allowed', { facts, headers: allow })
    socket.on('error', () => socket.destroy())
    end(socket, { ...refusal, problem, req, url: req.url! })
  })
}

/** The target of a request. Express changes `url` while a router handles the request. */
const targetOf = (req: IncomingMessage & { originalUrl?: string }): string | undefined =>
  req.originalUrl ?? req.url

/** What Node says of data that its parser refuses. */
interface ParserError extends NodeJS.ErrnoException {
  /** The data that the parser was given last. Undefined if time ran out. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** The target of the request with the error, unless its request line arrived in an earlier packet. */
function findTarget({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  const text = rawPacket?.toString('latin1') ?? ''
  const lineEnd = text.indexOf('\n', bytesParsed)
  const lines = (lineEnd === -1 ? text : text.slice(0, lineEnd)).split(/\r?\n/)
  const target = lines.findLast((line) => requestLine.test(line))
  return target && toOriginForm(requestLine.exec(target)![1]!)
}

/** RFC 9112, section 3. The parser may have refused anything after the target. */
const requestLine = /^[A-Z]+ (\S+)(?: .*)? HTTP\//

/** Removes scheme and authority of a target in absolute form (RFC 9112, section 3.2.2). The app needs only the path. */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1]
  if (rest === undefined) return target
  return rest.startsWith('/') ? rest : `/${rest}`
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

/** How a listener refuses requests. */
interface Refusal {
  readonly log: Logger | undefined
  readonly describeError: DescribeError | undefined
}

/** Describes an error for the clients of a path: the media type, and members beside those of the problem document. */
export type DescribeError = (
  path: string,
  problem: Problem,
) => { readonly mediaType: string; readonly members: object }

interface Ending extends Refusal {
  readonly problem: Problem
  readonly req: IncomingMessage | undefined
  readonly url: string
  /** By default, the headers of every response. */
  readonly headers?: Readonly<Record<string, string>>
}

const describeProblem: DescribeError = () => ({
  mediaType: 'application/problem+json',
  members: {},
})

function end(
  socket: Duplex,
  {
    problem,
    req,
    url,
    log,
    describeError = describeProblem,
    headers: common = Object.fromEntries(responseHeaders),
  }: Ending,
): void {
  const requestId = req ? requestIdOf(req) : createUuidv7()
  const { status, code, message: reason } = problem
  log?.debug({ requestId, status, code, reason }, 'a request was refused by the listener')
  const instance = url.split('?')[0]!
  const { mediaType, members } = describeError(instance, problem)
  const body = JSON.stringify({ ...problemDocument(problem, { instance, requestId }), ...members })
  const headers = {
    ...common,
    ...problem.headers,
    'Content-Type': mediaType,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  const content = req?.method === 'HEAD' ? '' : body
  socket.end(`${start}${lines.join('')}\r\n${content}`, () => socket.destroy())
}

/**
 * The id of a request in its response and in the logs: the client's own value if it is well-formed
 * (docs/specification/requests.md#headers-of-every-response).
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : createUuidv7()
}
