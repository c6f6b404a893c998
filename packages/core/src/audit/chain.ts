import { createHash, createHmac } from 'node:crypto'
import { canonicalJson } from '../idempotency/canonical-json.ts'

/** The hash before the first row of a chain: 32 zero bytes. */
export const chainStart = Buffer.alloc(32)

/** The keys of the audit log's chains. */
export interface AuditKeys {
  /** The first makes new hashes. The others verify those made before it, newest first. */
  readonly keys: readonly [Buffer, ...Buffer[]]
  /** Verify the heads that releases before the keyed chain signed. */
  readonly serverSecrets: readonly Buffer[]
}

/**
 * The keys that the configuration gives.
 *
 * @param auditKey - `AUDIT_KEY`. Without it the keys are derived from the server secrets.
 * @param serverSecrets - newest first.
 */
export function auditKeysOf(
  auditKey: Buffer | undefined,
  serverSecrets: readonly [Buffer, ...Buffer[]],
): AuditKeys {
  const [newest, ...older] = serverSecrets
  const keys = auditKey ? ([auditKey] as const) : ([derive(newest), ...older.map(derive)] as const)
  return { keys, serverSecrets }
}

const derive = (serverSecret: Buffer): Buffer =>
  createHmac('sha256', serverSecret).update('audit-key:v1').digest()

/**
 * Finds the key that made a hash. Along a chain the keys change only from older to newer ones.
 *
 * @param oldest - the index of the key that made the hash before it.
 * @returns its index, or -1 if none did.
 */
export function findKeyIndex(
  { keys }: AuditKeys,
  oldest: number,
  isMadeWith: (key: Buffer) => boolean,
): number {
  for (let index = Math.min(oldest, keys.length - 1); index >= 0; index--) {
    if (isMadeWith(keys[index]!)) return index
  }
  return -1
}

/** A row of the audit log as its seal covers it. */
export interface SealedRow {
  /** The hash of the seal before it in its organization. */
  readonly previous: Uint8Array
  readonly sequence: bigint
  readonly row: unknown
}

/**
 * The hash that seals a row of the audit log: HMAC-SHA-256 over the hash of the row before it in its
 * organization, the place in the chain, and the row's content in canonical JSON.
 */
export const sealHash = (key: Buffer, { previous, sequence, row }: SealedRow): Buffer =>
  createHmac('sha256', key)
    .update('audit-seal:v2:')
    .update(previous)
    .update(`${sequence}\n${canonicalJson(row)}`)
    .digest()

/** The hash of a seal of version 1, which has no key. */
export const unkeyedSealHash = ({ previous, sequence, row }: SealedRow): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(`${sequence}\n${canonicalJson(row)}`)
    .digest()

/** The head of an organization's chain. */
export interface ChainHead {
  readonly tenantId: string
  readonly count: bigint
  readonly hash: Uint8Array
}

/** The signature of a head as releases before the installation-wide chain made it. */
export const signHead = (serverSecret: Buffer, { tenantId, count, hash }: ChainHead): Buffer =>
  createHmac('sha256', serverSecret)
    .update(`audit-head:v1:${tenantId}:${count}:`)
    .update(hash)
    .digest()

/** A row of the installation-wide chain. */
export interface ChainLink extends ChainHead {
  /** The hash of the link before it. */
  readonly previous: Uint8Array
  readonly sequence: bigint
  /** How many seals at the start of the organization's chain have no key. */
  readonly unkeyed: bigint
}

/** The hash of a link: HMAC-SHA-256 over the link before it and the organization's head. */
export const linkHash = (
  key: Buffer,
  { previous, sequence, tenantId, count, unkeyed, hash }: ChainLink,
): Buffer =>
  createHmac('sha256', key)
    .update('audit-link:v1:')
    .update(previous)
    .update(`${sequence}:${tenantId}:${count}:${unkeyed}:`)
    .update(hash)
    .digest()

/** The state of all audit chains at one moment, for keeping outside of the database. */
export interface AuditAnchor {
  /** ISO 8601. */
  readonly time: string
  /** How many links the installation-wide chain has. */
  readonly count: number
  /** The hash of its last link, in hex. */
  readonly hash: string
  /** In hex. */
  readonly signature: string
}

/** Signs an anchor. */
export const signAnchor = (
  key: Buffer,
  { time, count, hash }: Omit<AuditAnchor, 'signature'>,
): string =>
  createHmac('sha256', key).update(`audit-anchor:v1:${time}:${count}:${hash}`).digest('hex')
