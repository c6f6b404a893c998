import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** What the API would have sent to an endpoint. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How the local address took it: a status, or why there is none. */
export interface Outcome {
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** As long as the service itself waits for an endpoint. */
const timeoutMs = 10_000

/** Posts a delivery to a local address with exactly its headers and body. */
export function forward(url: URL, { headers, body }: Delivery, now: () => number) {
  const startedAt = now()
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise<Outcome>((resolve) => {
    const end = (status: number | null, error: string | null): void =>
      resolve({ status, error, durationMs: Math.round(now() - startedAt) })
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(timeoutMs),
    })
    sent.on('response', (response) => {
      response.resume()
      end(response.statusCode!, null)
    })
    sent.on('error', (error: NodeJS.ErrnoException) =>
      end(null, error.name === 'AbortError' ? 'timeout' : (error.code ?? error.message)),
    )
    sent.end(body)
  })
}
