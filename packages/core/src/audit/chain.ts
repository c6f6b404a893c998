import { createHmac } from 'node:crypto'
import { canonicalJson } from '../text/canonical-json.ts'

/** The hash before the first row of a chain: 32 zero bytes. */
export const chainStart = Buffer.alloc(32)

/** The keys of the audit log's chains. */
export interface AuditKeys {
  /** The first creates new hashes. The others verify older hashes, newest first. */
  readonly keys: readonly [Buffer, ...Buffer[]]
}

/**
 * The audit keys of the configuration.
 *
 * @param auditKey - `AUDIT_KEY`. Without it the keys are derived from the server secrets.
 * @param serverSecrets - newest first.
 */
export function auditKeysOf(
  auditKey: Buffer | undefined,
  serverSecrets: readonly [Buffer, ...Buffer[]],
): AuditKeys {
  const [newest, ...older] = serverSecrets
  return { keys: auditKey ? [auditKey] : [derive(newest), ...older.map(derive)] }
}

const derive = (serverSecret: Buffer): Buffer =>
  createHmac('sha256', serverSecret).update('audit-key:v1').digest()

/**
 * Finds the key that created a hash. Along a chain, keys only change from older to newer.
 *
 * @param oldest - the index of the key that created the previous hash.
 * @returns the index of the key, or -1 if no key matches.
 */
export function findKeyIndex(
  { keys }: AuditKeys,
  oldest: number,
  isCreatedWith: (key: Buffer) => boolean,
): number {
  for (let index = Math.min(oldest, keys.length - 1); index >= 0; index--) {
    if (isCreatedWith(keys[index]!)) return index
  }
  return -1
}

/** The parts of an audit entry that its seal covers. */
export interface SealedRow {
  /** The previous seal of the organization, or {@link chainStart} for the first. */
  readonly previous: Uint8Array
  readonly sequence: bigint
  /** The columns of the entry, which `packages/postgres/src/audit/sealed-entry.ts` lists. */
  readonly row: unknown
}

/**
 * The seal of an audit entry (docs/specification/audit-log.md#chain): HMAC-SHA-256 of the previous seal of the
 * organization, the position in the chain, and the row in canonical JSON. A change of what it covers would make every
 * stored chain count as forged: a new form needs a label of its own (`audit-seal:v2`) beside this one, by which stored
 * seals are still verified.
 *
 * In packages/postgres/src/audit, `audit-sealer.ts` decides the order of the entries and adds the seals, and
 * `audit-verification.ts` computes them again. packages/core/test/audit/chain.test.ts has hashes that never change.
 */
export const sealHash = (key: Buffer, { previous, sequence, row }: SealedRow): Buffer =>
  createHmac('sha256', key)
    .update('audit-seal:v1:')
    .update(previous)
    .update(`${sequence}\n${canonicalJson(row)}`)
    .digest()

/** The head of an organization's chain. */
export interface ChainHead {
  readonly tenantId: string
  readonly count: bigint
  readonly hash: Uint8Array
}

/** A row of the installation-wide chain. */
export interface ChainLink extends ChainHead {
  /** The hash of the previous link, or {@link chainStart} for the first. */
  readonly previous: Uint8Array
  readonly sequence: bigint
}

/**
 * The hash of a link: HMAC-SHA-256 of the previous link and the organization's head. A change of what it covers would make
 * every stored chain count as forged, as for {@link sealHash}. `audit-links.ts` of packages/postgres adds the links.
 */
export const linkHash = (
  key: Buffer,
  { previous, sequence, tenantId, count, hash }: ChainLink,
): Buffer =>
  createHmac('sha256', key)
    .update('audit-link:v1:')
    .update(previous)
    .update(`${sequence}:${tenantId}:${count}:`)
    .update(hash)
    .digest()

/** The state of all audit chains at one time, to be stored outside the database. */
export interface AuditAnchor {
  /** ISO 8601. */
  readonly time: string
  /** The number of links in the installation-wide chain. */
  readonly count: number
  /** The hash of its last link, in hex. */
  readonly hash: string
  /** In hex. */
  readonly signature: string
}

/** Signs an anchor. A change of what it signs would make every stored anchor count as forged. */
export const signAnchor = (
  key: Buffer,
  { time, count, hash }: Omit<AuditAnchor, 'signature'>,
): string =>
  createHmac('sha256', key).update(`audit-anchor:v1:${time}:${count}:${hash}`).digest('hex')
