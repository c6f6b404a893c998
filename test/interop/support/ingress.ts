import { once } from 'node:events'
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificates } from '../../support/certificates.ts'

/** A reverse proxy in front of an API, which the API trusts. */
export interface Ingress {
  readonly url: string
  close(): Promise<void>
}

/** How an ingress listens. */
export interface IngressOptions {
  /** With https instead of http. */
  readonly certificates?: Certificates
}

/**
 * Starts a reverse proxy on 127.0.0.1. Each request comes from an address of its own, because many clients of a test must
 * not share the limits of one address.
 *
 * @param target - the URL of the API, called for each request.
 */
export async function startIngress(
  target: () => string,
  { certificates }: IngressOptions = {},
): Promise<Ingress> {
  let requests = 0
  const handle: RequestListener = (req, res) => {
    requests += 1
    forward(new URL(req.url!, target()), `198.18.${requests >> 8}.${requests & 255}`, { req, res })
  }
  const server: Server = certificates ? createTlsServer(certificates, handle) : createServer(handle)
  // Longer than clients wait between polls.
  server.keepAliveTimeout = 60_000
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${certificates ? 'https' : 'http'}://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function forward(
  url: URL,
  address: string,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
): void {
  const headers = { ...req.headers, 'x-forwarded-for': address }
  const forwarded = request(url, { method: req.method!, headers }, (response) => {
    res.writeHead(response.statusCode!, response.headers)
    response.pipe(res)
  })
  forwarded.on('error', (error) => res.destroy(error))
  req.pipe(forwarded)
}
