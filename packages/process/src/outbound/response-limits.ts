import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** The maximum number of informational (1xx) responses before the final response. */
export const informationalResponsesMax = 10

/** The maximum number of bytes up to the end of the headers of the final response. */
export const headBytesMax = 64 * 1_024

/** The limit of {@link limitResponse} on bodies. */
export interface ResponseLimit {
  /**
   * The size of the largest body that is read, in bytes. The connection may carry twice as many, because chunk sizes,
   * chunk extensions and trailers count as bytes too.
   */
  readonly bodyBytesMax: number
  /** Ends the exchange and destroys the connection. It may be called more than once. */
  readonly onExceeded: () => void
}

/**
 * Limits what a server sends in response to a request, to {@link informationalResponsesMax}, {@link headBytesMax} and
 * the body's limit. Counts bytes as they arrive on the connection, before Node parses them.
 */
export function limitResponse(
  request: ClientRequest,
  { bodyBytesMax, onExceeded }: ResponseLimit,
): void {
  let bytes = 0
  let bytesMax = headBytesMax
  let informationalResponses = 0
  let latest: Buffer = Buffer.alloc(0)
  let hasResponded = false
  /** The heads that the chunk with the last permitted byte completes up to that byte. */
  let headsInTime = Infinity

  const count = (chunk: Buffer) => {
    const bytesLeft = bytesMax - bytes
    const previous = latest
    latest = chunk
    bytes += chunk.length
    if (bytes <= bytesMax) return
    headsInTime = hasResponded ? 0 : countHeads(previous, chunk.subarray(0, bytesLeft))
    if (headsInTime === 0) return stop()
    // Node parses the chunk before this runs.
    queueMicrotask(() => {
      if (!hasResponded) stop()
    })
  }
  function stop(): void {
    onExceeded()
    // Node parses a chunk to its end even if its request is destroyed meanwhile. For 64 KiB of
    // informational responses this takes 5 ms of CPU time. NUL bytes stop the parser at once.
    latest.fill(0)
  }

  request.once('socket', (socket: Socket) => {
    socket.prependListener('data', count)
    request.once('close', () => socket.off('data', count))
  })
  request.on('information', () => {
    informationalResponses += 1
    headsInTime -= 1
    if (informationalResponses > informationalResponsesMax) stop()
  })
  request.once('response', () => {
    hasResponded = true
    if (headsInTime < 1) stop()
    bytesMax = bytes + 2 * bodyBytesMax
  })
}

/** How many heads end in a chunk, whose first empty line may begin in the chunk before. */
function countHeads(previous: Buffer, chunk: Buffer): number {
  const emptyLine = '\r\n\r\n'
  const text =
    previous.toString('latin1', Math.max(0, previous.length - 3)) + chunk.toString('latin1')
  return text.split(emptyLine).length - 1
}
