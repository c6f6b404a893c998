import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** The request that the service would send to an endpoint. */
export interface EventRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How the local URL responded: a status, or the reason why there is none. */
export interface ForwardResult {
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** The service's own delivery timeout. */
const timeoutMs = 10_000

/** Posts an event to a local URL with exactly its headers and body. */
export function forward(url: URL, { headers, body }: EventRequest, now: () => number) {
  const startedAt = now()
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise<ForwardResult>((resolve) => {
    const end = (status: number | null, error: string | null): void =>
      resolve({ status, error, durationMs: Math.round(now() - startedAt) })
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(timeoutMs),
    })
    request.on('response', (response) => {
      response.resume()
      end(response.statusCode!, null)
    })
    request.on('error', (error: NodeJS.ErrnoException) =>
      end(null, error.name === 'AbortError' ? 'timeout' : (error.code ?? error.message)),
    )
    request.end(body)
  })
}
