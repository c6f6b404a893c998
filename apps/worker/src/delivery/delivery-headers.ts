import { signatureHeader } from '@hosting/core'
import type { KeyObject } from 'node:crypto'

/** The headers of a delivery (specification "Delivery headers"). */
export function deliveryHeaders({
  body,
  secrets,
  deliveryId,
  eventType,
  unixSeconds,
}: {
  /** What is sent; its bytes are UTF-8. */
  body: string
  /** The valid secrets or their keys, newest first. */
  secrets: readonly (string | KeyObject)[]
  deliveryId: string
  eventType: string
  unixSeconds: number
}): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1',
    'Service-Event': eventType,
    'Service-Delivery': deliveryId,
    'Service-Timestamp': String(unixSeconds),
    'Service-Signature': signatureHeader(body, secrets, unixSeconds),
  }
}
