import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the ranges from which Linux (32768) and macOS (49152) take ports for outgoing connections,
// so that the port of the last run is most likely still free.
const LOWEST = 20_000
const HIGHEST = 30_000

/** Those that this process was given: whoever got one may not listen on it yet. */
const given = new Set<number>()

/** A port of 127.0.0.1 on which nothing listens, a new one each time: or the preferred one if it is free. */
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
