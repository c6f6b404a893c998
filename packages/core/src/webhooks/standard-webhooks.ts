import { createHmac, type KeyObject } from 'node:crypto'
import { signingSecretPrefix } from './signature.ts'

/** 32 bytes in standard base64 with padding: the last of 43 digits carries four bits. */
const encodedKey = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * The key of a signing secret in Standard Webhooks: the bytes that its base64 stands for
 * (docs/specification/webhooks.md#standard-webhooks).
 *
 * @returns `undefined` for a secret of the older form, which is not standard base64.
 */
export function standardWebhooksKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(signingSecretPrefix)) return undefined
  const encoded = secret.slice(signingSecretPrefix.length)
  return encodedKey.test(encoded) ? Buffer.from(encoded, 'base64') : undefined
}

/**
 * The headers of Standard Webhooks. `webhook-signature` has one `v1,<base64>` per key, separated by spaces. Each is the
 * HMAC-SHA-256 of `<event id>.<timestamp>.<raw body>`.
 *
 * @param delivery - `body`: the bytes, or a text that is sent in UTF-8; `keys`: of the valid secrets, newest first.
 */
export function standardWebhooksHeaders({
  body,
  eventId,
  unixSeconds,
  keys,
}: {
  body: Uint8Array | string
  eventId: string
  unixSeconds: number
  keys: readonly (Uint8Array | KeyObject)[]
}): Record<string, string> {
  const sign = (key: Uint8Array | KeyObject): string =>
    createHmac('sha256', key).update(`${eventId}.${unixSeconds}.`).update(body).digest('base64')
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': keys.map((key) => `v1,${sign(key)}`).join(' '),
  }
}
