import { signatureHeader } from '@hosting/core'

/** The headers of a delivery (specification "Delivery headers"). */
export function deliveryHeaders({
  body,
  secrets,
  deliveryId,
  eventType,
  unixSeconds,
}: {
  /** The exact bytes that are sent. */
  body: Buffer
  /** The valid secrets, newest first. */
  secrets: readonly string[]
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
