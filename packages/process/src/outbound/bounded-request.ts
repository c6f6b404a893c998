import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { GuardedAgents } from './guarded-agents.ts'
import type { RequestLookup } from './lookup-function.ts'
import { headBytesMax, limitResponse } from './response-limits.ts'

/** One request whose response is limited. */
export interface BoundedRequest {
  readonly agents: GuardedAgents
  readonly lookup: RequestLookup & { end: () => void }
  readonly method?: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string | undefined
  /** The maximum size of the response's body, in bytes. */
  readonly bytesMax: number
  /** Aborts the request. */
  readonly signal: AbortSignal
}

/** A response with its whole body. */
export interface BoundedResponse {
  readonly status: number
  readonly headers: IncomingMessage['headersDistinct']
  readonly body: Buffer
}

/**
 * Sends a request, reads the response, and closes the connection. Follows no redirect.
 *
 * @throws Error if the address is not permitted, the request fails, the response has too many or too long heads (see
 *   {@link limitResponse}), or its body has more bytes.
 */
export async function boundedRequest(
  target: URL,
  { agents, lookup, method = 'GET', headers, body, bytesMax, signal }: BoundedRequest,
): Promise<BoundedResponse> {
  // Most processes never need it, and it takes time and memory to load.
  const { default: got } = await import('got')
  const stream = got.stream(target, {
    method: method as 'GET',
    headers: { 'user-agent': undefined, ...(headers as Record<string, string>) },
    ...(body !== undefined && { body }),
    agent: { http: agents.http, https: agents.https },
    dnsLookup: lookup,
    maxHeaderSize: headBytesMax,
    signal,
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    strictContentLength: false,
    retry: { limit: 0 },
  })
  // An error that follows the first one, for example of a request that was aborted, has no other listener.
  stream.on('error', () => undefined)
  let exceeded: Error | undefined
  stream.once('request', (request: ClientRequest) => {
    limitResponse(request, {
      bodyBytesMax: bytesMax,
      onExceeded() {
        exceeded = new Error('got too long a response')
        stream.destroy(exceeded)
      },
    })
  })
  try {
    const [response] = (await once(stream, 'response', { signal })) as [IncomingMessage]
    const { statusCode, headersDistinct } = response
    return {
      status: statusCode!,
      headers: headersDistinct,
      body: await readBody(stream as AsyncIterable<Buffer>, bytesMax),
    }
  } catch (error) {
    // The limit also breaks the parser and the body, whose errors may come first.
    throw exceeded ?? error
  } finally {
    stream.destroy()
    lookup.end()
  }
}

async function readBody(stream: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`got more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
