import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'

/** The prefix of every signing secret (docs/specification/webhooks.md#signing-secrets). */
export const signingSecretPrefix = 'whsec_'

/**
 * Creates a signing secret: the prefix and 32 random bytes in standard base64 with padding, as Standard Webhooks
 * requires.
 */
export const createSigningSecret = (): string =>
  signingSecretPrefix + randomBytes(32).toString('base64')

/** The keys of a signing secret. */
export interface SigningKey {
  /** The whole secret, for the service's own signature. */
  readonly whole: KeyObject
  /** The decoded secret, for Standard Webhooks. A secret of the older form has none. */
  readonly standard: KeyObject | undefined
}

/** The secrets store's context for the signing secret with this id. */
export const signingSecretContext = (secretId: string): string => `webhook-secret:${secretId}`

/**
 * The value of `Service-Signature`: `t=<unix_seconds>,v1=<hex>`, with one `v1` per secret
 * (docs/specification/webhooks.md#signature). Each `v1` is the HMAC-SHA-256 of `<t>.<raw body>`, keyed with
 * the whole secret string. {@link standardWebhooksHeaders} creates the signature of Standard Webhooks.
 *
 * These verify it, and change with it: packages/sdk/src/verify-webhook.ts; docs/webhooks/verify.py, verify.go, verify.php
 * and verify.rb, which clients/python and docs/webhooks.md copy; docs/quickstart/curl/verify.sh. `npm run test:docs` runs
 * all of them, most with the vectors of tools/generate/webhook-vectors.ts. packages/core/test/webhooks/signature.test.ts
 * and test/faults/system/signers.ts compute it without this function.
 *
 * @param body - the exact bytes, or a text that is sent in UTF-8.
 * @param secrets - the valid secrets, newest first, as strings or as keys created from them. Keys sign faster.
 * @param unixSeconds - the time of the signature.
 */
export function signatureHeader(
  body: Uint8Array | string,
  secrets: readonly (string | KeyObject)[],
  unixSeconds: number,
): string {
  const sign = (secret: string | KeyObject): string =>
    createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')
  return [`t=${unixSeconds}`, ...secrets.map((secret) => `v1=${sign(secret)}`)].join(',')
}

/** Creates the keys of a signing secret. Signing with them is faster than with the secret. */
export function createSigningKey(secret: string): SigningKey {
  const standard = standardWebhooksKey(secret)
  return {
    whole: createSecretKey(secret, 'utf8'),
    standard: standard && createSecretKey(standard),
  }
}

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
