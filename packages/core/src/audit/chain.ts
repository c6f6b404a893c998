import { createHash, createHmac } from 'node:crypto'
import { canonicalJson } from '../idempotency/canonical-json.ts'

/** The hash before the first row of a chain: 32 zero bytes. */
export const chainStart = Buffer.alloc(32)

/**
 * The hash that seals a row of the audit log: SHA-256 over the hash of the row before it in its
 * organization, the place in the chain, and the row's content in canonical JSON (contract "Audit event").
 */
export const sealHash = (previous: Uint8Array, sequence: bigint, row: unknown): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(`${sequence}\n${canonicalJson(row)}`)
    .digest()

/**
 * The signature of a chain's head. It covers the count, so that a tail cut off shows.
 *
 * @param serverSecret - the key; whoever can only change the database cannot sign.
 */
export const signHead = (
  serverSecret: Buffer,
  { tenantId, count, hash }: { tenantId: string; count: bigint; hash: Uint8Array },
): Buffer =>
  createHmac('sha256', serverSecret)
    .update(`audit-head:v1:${tenantId}:${count}:`)
    .update(hash)
    .digest()
