import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificates } from './certificates.ts'

/** A relay to a PostgreSQL server that speaks TLS, as a server with `ssl = on` does. */
export interface TlsPostgres {
  /** The URL of a database through the relay. */
  url(databaseUrl: string): URL
  /** Whether the last connection used TLS. */
  readonly usedTls: boolean
  close(): void
}

const sslRequestCode = 80_877_103

/** @param certificates - `undefined`: the server offers no TLS. */
export async function startTlsPostgres(
  serverUrl: string,
  certificates?: Pick<Certificates, 'cert' | 'key'>,
): Promise<TlsPostgres> {
  const { hostname, port } = new URL(serverUrl)
  const open = new Set<Socket>()
  let usedTls = false
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)))
    const relay = (client: Socket, head: Buffer) => {
      const upstream = connect(Number(port || 5432), hostname, () => upstream.write(head))
      upstream.on('error', () => client.destroy())
      client
        .on('error', () => upstream.destroy())
        .pipe(upstream)
        .pipe(client)
    }
    socket.once('data', (head) => {
      usedTls = false
      if (head.readUInt32BE(4) !== sslRequestCode) return relay(socket, head)
      socket.write(certificates ? 'S' : 'N')
      if (!certificates) return
      usedTls = true
      const secure = new TLSSocket(socket, { isServer: true, ...certificates })
      relay(secure, Buffer.alloc(0))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url(databaseUrl) {
      const url = new URL(databaseUrl)
      url.hostname = '127.0.0.1'
      url.port = String((server.address() as AddressInfo).port)
      return url
    },
    get usedTls() {
      return usedTls
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
