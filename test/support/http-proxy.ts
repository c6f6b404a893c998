import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** An HTTP proxy on 127.0.0.1, for plain requests and CONNECT. */
export interface HttpProxy {
  readonly port: number
  /** What clients asked for: `CONNECT panel.test:443`, `GET http://panel.test/`. */
  readonly asked: string[]
  /** The values of Proxy-Authorization. */
  readonly credentials: (string | undefined)[]
  close(): Promise<void>
}

/** How a proxy behaves. */
export interface HttpProxyOptions {
  /** Where every request goes, whatever name it asks for: the names of tests exist only at the proxy. */
  readonly toPort: () => number
  /** Refuses with this status. */
  readonly refusesWith?: number
  /** Breaks this many connections before it serves one. */
  breaks?: number
}

/** Starts a proxy. */
export async function startHttpProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const asked: string[] = []
  const credentials: (string | undefined)[] = []
  const sockets = new Set<Duplex>()
  const note = ({ method, url, headers }: IncomingMessage): boolean => {
    asked.push(`${method} ${url}`)
    credentials.push(headers['proxy-authorization'])
    options.breaks = (options.breaks ?? 0) - 1
    return options.breaks >= 0
  }
  const server = createServer((incoming, response) => {
    if (note(incoming)) incoming.socket.destroy()
    else if (options.refusesWith) response.writeHead(options.refusesWith).end()
    else pass(incoming, response, options.toPort())
  })
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('connect', (incoming: IncomingMessage, client: Duplex) => {
    client.on('error', () => client.destroy())
    if (note(incoming)) return client.destroy()
    if (options.refusesWith) return client.end(`HTTP/1.1 ${options.refusesWith} Refused\r\n\r\n`)
    const upstream = net.connect(options.toPort(), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    sockets.add(upstream)
    return upstream.on('error', () => client.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    credentials,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function pass(incoming: IncomingMessage, response: ServerResponse, port: number): void {
  const { pathname, search } = new URL(incoming.url!)
  const { method, headers } = incoming
  const forwarded = request({ host: '127.0.0.1', port, method, path: pathname + search, headers })
  forwarded.on('response', (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  forwarded.on('error', () => response.destroy())
  incoming.pipe(forwarded)
}
