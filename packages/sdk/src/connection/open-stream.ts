import { toProblem } from './response.ts'
import { toConnectionError } from './retrying-fetch.ts'
import { concealCredential } from './token.ts'

/** How long the server may send nothing, and what ends the connection then. */
export interface SilenceLimit {
  readonly ending: AbortController
  readonly silenceMsMax: number
}

/** Reads the parts of a body as they arrive. */
export type StreamReader = ReadableStreamDefaultReader<Uint8Array>

/** A request for a response that is read while it is sent. */
export interface StreamRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  /** The media type of the response. */
  readonly mediaType: string
}

/**
 * Sends a request once, and returns its response before its body.
 *
 * @throws ApiProblem for a response without the media type, ConnectionError for none.
 */
export async function openStream(
  { url, headers, fetch, mediaType }: StreamRequest,
  limit: SilenceLimit,
): Promise<{ reader: StreamReader; received: Headers }> {
  const fail = (error: unknown): never => {
    throw toConnectionError(url, error)
  }
  const response = await withSilenceLimit(limit, () =>
    fetch(url, {
      headers: { ...headers, Accept: mediaType },
      redirect: 'manual',
      signal: limit.ending.signal,
    }),
  ).catch(fail)
  const { status, headers: received, body } = response
  if (status === 200 && body && received.get('Content-Type')?.startsWith(mediaType)) {
    return { reader: body.getReader(), received }
  }
  const text = await withSilenceLimit(limit, () => response.text()).catch(fail)
  throw toProblem({ status, headers: received, text: concealCredential(text, headers) })
}

/** Waits for the server, but aborts after a long silence. */
export async function withSilenceLimit<T>(
  { ending, silenceMsMax }: SilenceLimit,
  next: () => Promise<T>,
): Promise<T> {
  const timeout = new DOMException('The server has stopped sending.', 'TimeoutError')
  const timer = setTimeout(() => ending.abort(timeout), silenceMsMax)
  try {
    return await next()
  } finally {
    clearTimeout(timer)
  }
}
