import { EventEmitter, once } from 'node:events'
import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import net from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A request that a receiver got, with its whole body. */
export interface ReceivedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values alternately, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** The number of the connection that it arrived on, from 1. */
  readonly connection: number
}

/** The receiver's reaction to a request: a response, a connection reset, or no response. */
export type Reply =
  | {
      readonly status: number
      readonly headers?: OutgoingHttpHeaders
      /** A stream that fails breaks the connection in the middle of the body. */
      readonly body?: string | Readable
    }
  | 'reset'
  | 'hang'

/** A TCP server on 127.0.0.1. */
export interface RawReceiver {
  readonly port: number
  /** The number of accepted connections. */
  readonly connections: number
  /** The open sockets. */
  readonly sockets: ReadonlySet<Socket>
  /** Breaks every connection and stops. */
  close(): Promise<void>
}

/** A webhook receiver. */
export interface Receiver extends RawReceiver {
  /** `http://127.0.0.1:<port>/` or `https://…`. */
  readonly url: string
  /** All requests until now, in order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** The next request that was not returned yet; waits for it if necessary. */
  next(): Promise<ReceivedRequest>
}

/** The options of {@link startReceiver}. */
export interface ReceiverOptions {
  /** With `cert` and `key` in PEM; if absent, the receiver speaks plain HTTP. */
  readonly tls?: https.ServerOptions
  /** Decides the reply to each request; if absent, every response is a 204. */
  readonly respond?: (request: ReceivedRequest) => Reply | Promise<Reply>
}

/** Starts a receiver that records its requests. */
export async function startReceiver({
  tls,
  respond = () => ({ status: 204 }),
}: ReceiverOptions = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const arrivals = new EventEmitter()
  // By port, because a TLS socket is not the accepted TCP socket.
  const accepted = new Map<string, { number: number; socket: Socket }>()
  const handle = async (message: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = '', url = '', headers, rawHeaders } = message
    const { number, socket } = accepted.get(portsOf(message.socket))!
    const body = Buffer.concat(await message.toArray())
    const request = { method, path: url, headers, rawHeaders, body, connection: number }
    requests.push(request)
    arrivals.emit('request')
    const reply = await respond(request)
    if (reply === 'reset') socket.resetAndDestroy()
    else if (reply !== 'hang') await sendReply(response, reply)
  }
  const listener: http.RequestListener = (message, response) => {
    // A client may disconnect at any time.
    handle(message, response).catch(() => undefined)
  }
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener)
  const raw = await listen(server, (socket) => {
    accepted.set(portsOf(socket), { number: raw.connections, socket })
  })
  let given = 0
  return Object.assign(raw, {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${raw.port}/`,
    requests,
    async next() {
      const index = given++
      while (requests.length <= index) await once(arrivals, 'request')
      return requests[index]!
    },
  })
}

/** Starts a server that calls a function with each connection and sends nothing else. */
export const startRawReceiver = (talk: (socket: Socket) => void): Promise<RawReceiver> =>
  listen(net.createServer(), talk)

async function listen(
  server: Server,
  onConnection: (socket: Socket) => void,
): Promise<RawReceiver> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const portsOf = ({ remotePort, localPort }: Socket): string => `${remotePort} ${localPort}`

async function sendReply(
  response: http.ServerResponse,
  { status, headers, body }: Exclude<Reply, string>,
): Promise<void> {
  response.writeHead(status, headers).flushHeaders()
  if (body instanceof Readable) await pipeline(body, response)
  else response.end(body)
}
