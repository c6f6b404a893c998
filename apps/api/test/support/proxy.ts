import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a process and a server, to take the server away. */
export interface Proxy {
  /** The server's URL by way of the proxy. */
  readonly url: string
  /** Ends every connection and refuses new ones. */
  sever(): Promise<void>
  /** Stops forwarding bytes. Connections are neither refused nor closed. */
  stall(): void
  /** Lets connections through again; those that were stalled are ended. */
  restore(): Promise<void>
}

/** Starts a proxy to the server of a URL. */
export async function startProxy(serverUrl: string): Promise<Proxy> {
  const { hostname, port: serverPort } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let stalled = false

  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
  const server = createServer((client) => {
    const upstream = connect(Number(serverPort), hostname)
    keep(client, upstream)
    keep(upstream, client)
    if (!stalled) client.pipe(upstream).pipe(client)
  })
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }

  // A loopback address of its own: while the proxy does not listen, nobody else takes its port there.
  const host = `127.${randomInt(1, 255)}.${randomInt(255)}.${randomInt(1, 255)}`
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(serverUrl)
  url.host = `${host}:${port}`
  return {
    url: url.href,
    async sever() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      endAll()
      await closed
    },
    stall() {
      stalled = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    async restore() {
      if (stalled) endAll()
      stalled = false
      if (server.listening) return
      server.listen(port, host)
      await once(server, 'listening')
    },
  }
}
