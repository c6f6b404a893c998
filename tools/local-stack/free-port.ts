import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

// Below the ranges that Linux (32768) and macOS (49152) use for outgoing connections, so that the port of
// the last run is probably still free.
const LOWEST = 20_000
const HIGHEST = 30_000

/** The ports that this process reserved. */
const reserved = new Set<number>()

/**
 * A TCP port of 127.0.0.1 that no program uses: the preferred one if it is free, otherwise a different one on each call.
 * Until this process ends, no other process gets it from this function, so a server can stop and listen on it again.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred && (await isOurs(preferred)) && (await isFree(preferred))) return preferred
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (!reserved.has(port) && (await isOurs(port)) && (await isFree(port))) return port
  }
  throw new Error(`No free port found between ${LOWEST} and ${HIGHEST}`)
}

/** Reserves a port, if no other process has. A UDP socket with its number is the reservation. */
function isOurs(port: number): Promise<boolean> {
  if (reserved.has(port)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref()
      reserved.add(port)
      resolve(true)
    })
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
