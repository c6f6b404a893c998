import type { KeyObject } from 'node:crypto'
import { signatureHeader } from './signature.ts'

/**
 * The headers of a delivery (docs/specification/webhooks.md#headers), whoever it is sent to.
 *
 * @param delivery - `body`: what is sent, its bytes, or the text that they are in UTF-8; `secrets`: the valid
 *   ones or their keys, newest first; `unixSeconds`: the time of the signature.
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
