import type { KeyObject } from 'node:crypto'
import { signatureHeader } from './signature.ts'

/**
 * The headers of a delivery (docs/specification/webhooks.md#headers).
 *
 * @param delivery - `body`: the bytes, or a text that is sent in UTF-8; `secrets`: the valid signing secrets or
 *   keys created from them, newest first; `unixSeconds`: the time of the signature.
 */
export const deliveryHeaders = ({
  body,
  secrets,
  deliveryId,
  eventType,
  unixSeconds,
}: {
  body: Uint8Array | string
  secrets: readonly (string | KeyObject)[]
  deliveryId: string
  eventType: string
  unixSeconds: number
}): Record<string, string> => ({
  'Content-Type': 'application/json',
  'User-Agent': 'Service-Webhooks/1',
  'Service-Event': eventType,
  'Service-Delivery': deliveryId,
  'Service-Timestamp': String(unixSeconds),
  'Service-Signature': signatureHeader(body, secrets, unixSeconds),
})
