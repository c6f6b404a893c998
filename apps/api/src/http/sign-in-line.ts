import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * Serves one sign-in per turn of the event loop, in order of arrival, and everything else at once. Sign-ins come
 * without credentials, so anybody can send hundreds at the same moment: served as they come, they would keep every
 * other request waiting until the last of them is answered or refused. Node stops reading from a connection whose
 * request waits here.
 *
 * @param signInPaths - where people sign in, by POST.
 */
export function lineUpSignIns(
  serve: RequestListener,
  signInPaths: ReadonlySet<string>,
): RequestListener {
  const line: (readonly [IncomingMessage, ServerResponse])[] = []
  const serveFirst = (): void => {
    const [req, res] = line.shift()!
    if (line.length > 0) setImmediate(serveFirst)
    // Nobody waits for a response on a connection that was closed.
    if (!req.socket.destroyed) serve(req, res)
  }
  return (req, res) => {
    if (req.method !== 'POST' || !signInPaths.has(pathOf(req.url ?? ''))) {
      serve(req, res)
      return
    }
    line.push([req, res])
    if (line.length === 1) setImmediate(serveFirst)
  }
}

/** The path of a request's target, also of one in absolute form (RFC 9112, section 3.2.2). */
const pathOf = (target: string): string =>
  /^\/[^#\\]*$/.test(target)
    ? target.split('?', 1)[0]!
    : (URL.parse(target, 'http://host.invalid')?.pathname ?? '')
