import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** How many informational (1xx) responses a receiver may send before its final response. */
export const informationalResponsesMax = 10

/** How many bytes a receiver may send up to the end of the headers of its final response. */
export const headBytesMax = 64 * 1_024

/** How many bytes of a response body are read, so that the connection can be reused, and dropped. */
export const bodyBytesMax = 64 * 1_024

/** Twice the body, because chunk sizes, chunk extensions and trailers arrive on the connection too. */
const rawBodyBytesMax = 2 * bodyBytesMax

/**
 * Watches what a receiver sends in response to a request. It counts bytes as they arrive on the connection,
 * before Node parses them.
 *
 * @param onExceeded - Ends the exchange and destroys the connection. It may be called more than once.
 */
export function limitResponse(request: ClientRequest, onExceeded: () => void): void {
  let bytes = 0
  let bytesMax = headBytesMax
  let informationalResponses = 0
  let latest: Buffer | undefined

  const count = (chunk: Buffer) => {
    latest = chunk
    bytes += chunk.length
    if (bytes > bytesMax) stop()
  }
  function stop(): void {
    onExceeded()
    // Node parses a chunk to its end even if its request is destroyed in the middle: with 64 KiB of
    // informational responses that takes 5 ms of CPU. NUL bytes stop the parser at once.
    latest?.fill(0)
  }

  request.once('socket', (socket: Socket) => {
    socket.prependListener('data', count)
    request.once('close', () => socket.off('data', count))
  })
  request.on('information', () => {
    informationalResponses += 1
    if (informationalResponses > informationalResponsesMax) stop()
  })
  request.once('response', () => (bytesMax = bytes + rawBodyBytesMax))
}
