import {
  signatureHeader,
  standardWebhooksHeaders,
  standardWebhooksKey,
} from '@hosting/core/webhooks'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { ForwardTarget } from './target.ts'

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

/** Agents of our own never use a proxy, also where NODE_USE_ENV_PROXY makes those of Node use one. */
const plain = { request: requestHttp, agent: new HttpAgent({ keepAlive: true }) }
const encrypted = { request: requestHttps, agent: new HttpsAgent({ keepAlive: true }) }

/** Posts an event to a local URL with exactly its headers and body. */
export function forward(
  { url, skipsVerification }: ForwardTarget,
  { headers, body }: EventRequest,
  { now, signal }: { now: () => number; signal: AbortSignal },
) {
  const startedAt = now()
  const { request: send, agent } = url.protocol === 'https:' ? encrypted : plain
  return new Promise<ForwardResult>((resolve) => {
    const end = (status: number | null, error: string | null): void =>
      resolve({ status, error, durationMs: Math.round(now() - startedAt) })
    const request = send(url, {
      method: 'POST',
      agent,
      ...(skipsVerification && { rejectUnauthorized: false }),
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
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

/** The configured prefix is before it. The headers of Standard Webhooks are in lower case. */
const timestampSuffix = '-Timestamp'

/**
 * The request as the stream would send it now. Receivers refuse a signature that is some minutes old, so it is signed
 * again, with the secret of the open stream.
 */
export function resign(
  { headers, body }: EventRequest,
  { secret, nowMs }: { secret: string; nowMs: number },
): EventRequest {
  const prefix = Object.keys(headers)
    .find((name) => name.endsWith(timestampSuffix))!
    .slice(0, -timestampSuffix.length)
  const unixSeconds = Math.floor(nowMs / 1_000)
  const [eventId, key] = [headers['webhook-id'], standardWebhooksKey(secret)]
  return {
    headers: {
      ...headers,
      [`${prefix}-Timestamp`]: String(unixSeconds),
      [`${prefix}-Signature`]: signatureHeader(body, [secret], unixSeconds),
      ...(eventId !== undefined &&
        key &&
        standardWebhooksHeaders({ body, eventId, unixSeconds, keys: [key] })),
    },
    body,
  }
}
