import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Ledger } from './ledger.ts'

/** A receiver of one endpoint's deliveries. */
export interface Receiver {
  readonly url: string
  /** Breaks every connection and closes the port. */
  stop(): Promise<void>
}

/** Long enough that some attempts are always in progress. */
const respondsAfterMs = 50
/** One request in this number gets a late response: after the lock and the hold of its job expire. */
const lateEvery = 100
const lateAfterMs = 3_000

/**
 * Starts a receiver, which records all its requests in the ledger.
 *
 * @param failsEvery - one request in this number gets status 500.
 */
export async function startReceiver(ledger: Ledger, failsEvery = Infinity): Promise<Receiver> {
  const sockets = new Set<Socket>()
  let requests = 0

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id: eventId } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const deliveryId = request.headers['service-delivery'] as string
    const delivery = { eventId, endpointUrl: url, deliveryId }
    const received = ledger.arrived(delivery)
    response.once('close', received.abort)
    const number = ++requests
    await setTimeout(number % lateEvery === 0 ? lateAfterMs : respondsAfterMs)
    if (request.socket.destroyed) return
    const fails = number % failsEvery === 0
    if (fails) received.refuse()
    else received.acknowledge()
    response.writeHead(fails ? 500 : 204).end()
  }

  const server = http.createServer((request, response) => {
    // A killed worker aborts in the middle of a request.
    take(request, response).catch(() => undefined)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/`
  return {
    url,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
