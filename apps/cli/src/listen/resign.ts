import {
  signatureHeader,
  standardWebhooksHeaders,
  standardWebhooksKey,
} from '@hosting/core/webhooks'
import type { EventRequest } from './forward.ts'

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
