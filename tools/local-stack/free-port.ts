import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the ranges that Linux (32768) and macOS (49152) use for outgoing connections, so that the port of
// the last run is probably still free.
const LOWEST = 20_000
const HIGHEST = 30_000

/** Ports that this process has already received: they may not be listened on yet. */
const given = new Set<number>()

/** An unused port of 127.0.0.1: the preferred one if it is free, otherwise a different one on each call. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred && (await isFree(preferred))) return preferred
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`No free port found between ${LOWEST} and ${HIGHEST}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
