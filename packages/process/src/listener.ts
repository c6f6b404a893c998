import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { listenerLimits, type ListenerLimits } from './listener-limits.ts'
import {
  handleClientErrors,
  currentResponse,
  findError,
  refuseRequest,
  toOriginForm,
  type DescribeError,
} from './listener-refusals.ts'
import type { Logger } from './logger.ts'
import { responseHeaders, tlsHeaders } from './security-headers.ts'

/** An HTTP server that listens. */
export interface Listener {
  readonly port: number
  /** Accepts no further connections, closes idle ones, and waits for the requests in progress. */
  close(): Promise<void>
}

/** The address and the options of a listener. */
export interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Whether a request arrived over TLS, which a proxy terminates. By default, none did. */
  readonly isSecureRequest?: (req: IncomingMessage) => boolean
  /** Logs requests that are refused before the app sees them, at level `debug`. */
  readonly log?: Logger
  /** For requests that are refused before the app sees them. By default, they get problem documents. */
  readonly describeError?: DescribeError
  /** Overrides of {@link listenerLimits}. */
  readonly limits?: Partial<ListenerLimits>
}

/** Starts a listener for an app, for example of Express. Sets the common response headers before the app runs. */
export async function listen(
  app: RequestListener,
  {
    host,
    port,
    isSecureRequest = () => false,
    log,
    describeError,
    limits: differing,
  }: ListenOptions,
): Promise<Listener> {
  const limits = { ...listenerLimits, ...differing }
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    // A previous request on the connection was refused.
    if (!req.socket.writable) return
    for (const [name, value] of responseHeaders) res.setHeader(name, value)
    if (isSecureRequest(req)) res.setHeaders(tlsHeaders as Map<string, string>)
    req.url = toOriginForm(req.url!)
    const error = findError(req, limits)
    if (error) refuseRequest(req, res, { problem: error, log, describeError })
    else app(req, res)
  }
  const server = createServer(optionsOf(limits), serve)
  server.timeout = limits.stalledMs
  server.maxConnections = limits.connectionsMax
  // RFC 9110, section 10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', serve)
  handleClientErrors(server, { limits, log, describeError })
  const connections = keepConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  const close = (): Promise<void> => closeServer(server, connections, limits)
  return { port: (server.address() as AddressInfo).port, close }
}

const optionsOf = (limits: ListenerLimits) => ({
  maxHeaderSize: limits.headerBytesMax,
  headersTimeout: limits.headersMs,
  requestTimeout: limits.requestMs,
  connectionsCheckingInterval: limits.checkEveryMs,
  keepAliveTimeout: limits.keepAliveMs,
  // Also if NODE_OPTIONS enables it.
  insecureHTTPParser: false,
  // Node would send its own response. `findError` checks this instead.
  requireHostHeader: false,
})

/** Tracks the connections of a server: Node does not treat a connection without a complete request as idle. */
function keepConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/**
 * Closes the server and its connections. Without the interval, a busy connection would stay open for the whole
 * keep-alive time after its response. Without the timeouts, a connection with no or an incomplete request would stay
 * open forever, because Node does not apply the limits to a closed server.
 */
async function closeServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  { closingMs, drainMs }: ListenerLimits,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const closing = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const ending = setTimeout(() => {
    for (const socket of connections) if (!currentResponse(socket)) socket.destroy()
  }, closingMs)
  const overdue = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(closing)
  clearTimeout(ending)
  clearTimeout(overdue)
}

const idleCheckMs = 50
