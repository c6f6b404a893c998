import { createHmac } from 'node:crypto'
import type { ServerSecrets } from '../configuration/parsers.ts'
import { canonicalJson } from '../text/canonical-json.ts'

/**
 * The members of a response that are shown once. In a stored response they are `null`
 * (docs/specification/requests.md#idempotency). The SDK has its own list, packages/sdk/src/connection/response.ts, of
 * which the Python client's is made; test/structure/limits.test.ts compares them.
 */
export const oneTimeMembers = [
  'token',
  'secret',
  'otpauth_uri',
  'recovery_codes',
  'csrf_token',
] as const

/**
 * The hash of a request, 32 bytes. It shows whether another request with the same Idempotency-Key is the same
 * (`apps/api/src/api/http/idempotency.ts`).
 * Only a keyed hash is stored, because the request may contain secrets. Bodies are compared by value: the order
 * of members does not matter.
 */
export function hashRequest(
  serverSecret: Buffer,
  { method, path, body }: { method: string; path: string; body: unknown },
): Buffer {
  return createHmac('sha256', serverSecret)
    .update(`idempotency:v1:${method} ${path}\n${canonicalJson(body)}`)
    .digest()
}

/** The hashes of a request, one per version of the server secret. The first is the one to store. */
export const hashesOfRequest = (
  [first, ...older]: ServerSecrets,
  request: Parameters<typeof hashRequest>[1],
): readonly [Buffer, ...Buffer[]] => [
  hashRequest(first, request),
  ...older.map((serverSecret) => hashRequest(serverSecret, request)),
]

/** Returns a copy of a response body with `null` for the one-time secrets. */
export function withoutOneTimeSecrets(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const present = oneTimeMembers.filter((member) => member in body)
  return { ...body, ...Object.fromEntries(present.map((member) => [member, null])) }
}
