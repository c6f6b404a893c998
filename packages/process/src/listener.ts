import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { listenerLimits, type ListenerLimits } from './listener-limits.ts'
import { answerClientErrors, answerInHand, findFault, refuse } from './listener-refusals.ts'
import type { Logger } from './logger.ts'
import { answerHeaders, tlsHeaders } from './security-headers.ts'

/** An HTTP server that listens. */
export interface Listener {
  readonly port: number
  /** Takes no further connection, ends idle ones, and waits for the requests in hand. */
  close(): Promise<void>
}

/** Where a listener listens, and what it knows of its clients. */
export interface ListenOptions {
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  /** Whether a request came over TLS, which ends before this process. Unless given none did. */
  readonly isSecureRequest?: (req: IncomingMessage) => boolean
  /** Hears, with level `debug`, of requests that the app never saw. */
  readonly log?: Logger
  /** What differs from {@link listenerLimits}. */
  readonly limits?: Partial<ListenerLimits>
}

/** Listens with an app such as one of Express. Sets the headers of every response before the app sees the request. */
export async function listen(
  app: RequestListener,
  { host, port, isSecureRequest = () => false, log, limits: differing }: ListenOptions,
): Promise<Listener> {
  const limits = { ...listenerLimits, ...differing }
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    // It followed one that was refused.
    if (!req.socket.writable) return
    for (const [name, value] of answerHeaders) res.setHeader(name, value)
    if (isSecureRequest(req)) res.setHeaders(tlsHeaders as Map<string, string>)
    const fault = findFault(req, limits)
    if (fault) refuse(req, res, { problem: fault, log })
    else app(req, res)
  }
  const server = createServer(optionsOf(limits), serve)
  server.timeout = limits.stalledMs
  server.maxConnections = limits.connectionsMax
  // RFC 9110, section 10.1.1: an expectation that is not known may be passed over.
  server.on('checkExpectation', serve)
  answerClientErrors(server, { limits, log })
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
  // Whatever NODE_OPTIONS may say.
  insecureHTTPParser: false,
  // Its refusal would be Node's own; ours is in `findFault`.
  requireHostHeader: false,
})

/** The connections of a server: Node does not count one that never finished a request among the idle. */
function keepConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/**
 * A connection that is busy now is idle after its answer, and would stay open for the whole keep-alive time. One
 * that says nothing, or not all, would stay open for good, as the limits no longer hold for a closed server.
 */
async function closeServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  { closingMs, drainMs }: ListenerLimits,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const closing = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const ending = setTimeout(() => {
    for (const socket of connections) if (!answerInHand(socket)) socket.destroy()
  }, closingMs)
  const overdue = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(closing)
  clearTimeout(ending)
  clearTimeout(overdue)
}

const idleCheckMs = 50
