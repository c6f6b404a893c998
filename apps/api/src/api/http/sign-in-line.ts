import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * Serves one sign-in per turn of the event loop, in order of arrival, and everything else immediately. Sign-ins need
 * no credentials, so anyone can send hundreds at the same moment. Without this queue, every other request would wait
 * until the last of them is served. Node stops reading from a connection whose request waits here.
 *
 * @param signInPaths - the paths of sign-ins by POST.
 */
export function lineUpSignIns(
  serve: RequestListener,
  signInPaths: ReadonlySet<string>,
): RequestListener {
  const queue: (readonly [IncomingMessage, ServerResponse])[] = []
  const serveFirst = (): void => {
    const [req, res] = queue.shift()!
    if (queue.length > 0) setImmediate(serveFirst)
    // A closed connection needs no response.
    if (!req.socket.destroyed) serve(req, res)
  }
  return (req, res) => {
    if (req.method !== 'POST' || !signInPaths.has(pathOf(req.url ?? ''))) {
      serve(req, res)
      return
    }
    queue.push([req, res])
    if (queue.length === 1) setImmediate(serveFirst)
  }
}

/** The path of a request target, which may be in absolute form (RFC 9112, section 3.2.2). */
const pathOf = (target: string): string =>
  /^\/[^#\\]*$/.test(target)
    ? target.split('?', 1)[0]!
    : (URL.parse(target, 'http://host.invalid')?.pathname ?? '')
