import { createSigningKey, deliveryHeaders } from '@hosting/core/webhooks'
import type { EventRequest } from './forward.ts'

/**
 * The request as the stream would send it now. Receivers refuse a signature that is some minutes old, so it is signed
 * again, with the secret of the open stream.
 */
export function resign(
  { headers, body }: EventRequest,
  { secret, eventId, nowMs }: { secret: string; eventId: string; nowMs: number },
): EventRequest {
  const prefix = Object.keys(headers)
    .find((name) => name.endsWith('-Event'))!
    .slice(0, -'-Event'.length)
  const key = createSigningKey(secret)
  const isStandard = headers['webhook-id'] !== undefined && key.standard !== undefined
  const signed = deliveryHeaders({
    body,
    secrets: [key.whole],
    deliveryId: headers[`${prefix}-Delivery`]!,
    eventType: headers[`${prefix}-Event`]!,
    unixSeconds: Math.floor(nowMs / 1_000),
    standard: isStandard ? { eventId, keys: [key.standard] } : undefined,
    naming: { webhookHeaderPrefix: prefix, webhookUserAgent: headers['User-Agent']! },
  })
  return { headers: signed, body }
}
