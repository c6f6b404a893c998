import type { LookupAddress } from 'node:dns'
import type { Socket } from 'node:net'

/** A connection, or why there is none. */
export type Connected = (error: Error | null, socket?: Socket) => void

/** How many addresses of a name are connected to at the same time. */
export const parallelMax = 10
/** RFC 8305, section 5: the recommended delay between two attempts to connect. */
const delayMs = 250
/** The attempts of a name with many addresses all start within this time, well before a deadline of 10 s. */
const startsMs = 6_000

/**
 * Connects to the first address of a name that accepts a connection (RFC 8305, section 5). The families alternate. An
 * attempt starts 250 ms after the one before, or as soon as one has failed, and earlier attempts go on. With more than
 * {@link parallelMax} attempts in progress, the oldest gives its place to the next. Attempts have no deadline of their
 * own: the caller cancels.
 *
 * @param open - starts to connect to an address. It may throw.
 * @param connected - called once, with the connection, or with the most telling error after every address has failed.
 * @returns a function that ends all attempts. `connected` is not called afterwards.
 */
export function connectStaggered(
  addresses: readonly LookupAddress[],
  open: (address: LookupAddress) => Socket,
  connected: Connected,
): () => void {
  const waiting = alternateFamilies(addresses)
  const spacingMs = Math.min(delayMs, startsMs / waiting.length)
  const connecting = new Set<Socket>()
  const failures: Error[] = []
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false

  function startNext(): void {
    clearTimeout(timer)
    const address = waiting.shift()
    if (!address) return
    if (connecting.size >= parallelMax) giveUp([...connecting][0]!)
    try {
      const socket = open(address)
      connecting.add(socket)
      socket.once('connect', () => win(socket))
      socket.on('error', (error) => connecting.delete(socket) && fail(error))
    } catch (error) {
      return fail(error as Error)
    }
    if (waiting.length > 0) timer = setTimeout(startNext, spacingMs)
  }
  function fail(error: Error): void {
    failures.push(error)
    if (waiting.length > 0) return startNext()
    if (connecting.size > 0 || hasEnded) return
    hasEnded = true
    connected(mostTelling(failures))
  }
  function win(socket: Socket): void {
    // A guard may have destroyed it.
    if (socket.destroyed || !connecting.delete(socket)) return
    cancel()
    socket.removeAllListeners('error')
    connected(null, socket)
  }
  function giveUp(socket: Socket): void {
    connecting.delete(socket)
    socket.destroy()
    failures.push(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' }))
  }
  function cancel(): void {
    hasEnded = true
    clearTimeout(timer)
    waiting.length = 0
    for (const socket of connecting) socket.destroy()
    connecting.clear()
  }
  startNext()
  return cancel
}

/** Each address once, the families in turn, beginning with that of the first (RFC 8305, section 4). */
function alternateFamilies(addresses: readonly LookupAddress[]): LookupAddress[] {
  const unique = [...new Map(addresses.map((each) => [each.address, each])).values()]
  const isFirst = ({ family }: LookupAddress) => family === unique[0]!.family
  const [first, second] = [unique.filter(isFirst), unique.filter((each) => !isFirst(each))]
  return Array.from({ length: unique.length }, (_, index) => [first[index], second[index]])
    .flat()
    .filter((each) => each !== undefined)
}

/** Codes of errors, the most telling first: a refusal by a host says more than a missing route on this machine. */
const telling = [
  'E_ADDRESS_NOT_PUBLIC',
  'ECONNRESET',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ETIMEDOUT',
  'ENETUNREACH',
]

function mostTelling(failures: readonly Error[]): Error {
  const rank = ({ code = '' }: NodeJS.ErrnoException) => telling.indexOf(code) >>> 0
  return failures.reduce((most, each) => (rank(each) < rank(most) ? each : most))
}
