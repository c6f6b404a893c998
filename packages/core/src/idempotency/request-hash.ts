import { createHmac } from 'node:crypto'
import type { ServerSecrets } from '../configuration/parsers.ts'
import { canonicalJson } from './canonical-json.ts'

/**
 * The members of an answer that are shown once: what is stored of an answer holds `null` for them
 * (docs/specification/requests.md#idempotency).
 */
export const oneTimeMembers = [
  'token',
  'secret',
  'otpauth_uri',
  'recovery_codes',
  'csrf_token',
] as const

/**
 * What is kept of a request, to tell whether another with the same Idempotency-Key is the same: a keyed
 * hash, since the request itself may hold secrets. Bodies are compared by value: the order of members does
 * not count. 32 bytes.
 */
export function hashRequest(
  serverSecret: Buffer,
  { method, path, body }: { method: string; path: string; body: unknown },
): Buffer {
  return createHmac('sha256', serverSecret)
    .update(`idempotency:v1:${method} ${path}\n${canonicalJson(body)}`)
    .digest()
}

/** The hashes of a request: one for each version of the server secret, the one to store first. */
export const hashesOfRequest = (
  [first, ...older]: ServerSecrets,
  request: Parameters<typeof hashRequest>[1],
): readonly [Buffer, ...Buffer[]] => [
  hashRequest(first, request),
  ...older.map((serverSecret) => hashRequest(serverSecret, request)),
]

/** An answer's body as it may be stored. */
export function withoutOneTimeSecrets(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const present = oneTimeMembers.filter((member) => member in body)
  return { ...body, ...Object.fromEntries(present.map((member) => [member, null])) }
}
