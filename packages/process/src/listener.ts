import type { Express } from 'express'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server that listens. */
export interface Listener {
  readonly port: number
  /** Takes no further connection, ends idle ones, and waits for the requests in hand. */
  close(): Promise<void>
}

/** Slow clients are cut off: a request must be whole within this time, in ms. */
const requestTimeoutMs = 30_000
const headersTimeoutMs = 10_000
/** Longer than the idle time of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 65_000

/**
 * Listens with an Express app.
 *
 * @param port - 0 for any free one.
 */
export async function listen(
  app: Express,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    app,
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

/** A connection that is busy now is idle after its answer, and would stay open for the whole keep-alive time. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const closing = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  await closed
  clearInterval(closing)
}

const idleCheckMs = 50
