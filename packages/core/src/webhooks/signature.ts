import { createHmac, randomBytes, type KeyObject } from 'node:crypto'

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
 * the whole secret string. `standard-webhooks.ts` creates the signature of Standard Webhooks.
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
