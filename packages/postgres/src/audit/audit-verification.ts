import { isSameHash } from '@hosting/core/api-keys'
import {
  chainStart,
  findKeyIndex,
  linkHash,
  signAnchor,
  type AuditAnchor,
  type AuditKeys,
} from '@hosting/core/audit'
import type pg from 'pg'
import { findSealKey } from './audit-sealer.ts'
import { changedLink, readLinks, type ChainError, type Link } from './audit-links.ts'
import { entryTypes, sealedColumns, toSealable } from './sealed-entry.ts'
import { readSetBacks, type SetBack } from './set-back.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { runTransaction } from '../database/transaction.ts'

const { bigint, bool, bytes, int, notNull, uuid } = types

/** Rows per statement. */
const pageMax = 500
/** The most errors of one kind that are reported. */
const errorsMax = 1_000

/** The result of verifying the chains. */
export interface ChainReport {
  readonly tenants: number
  readonly rows: number
  readonly errors: readonly ChainError[]
  /** What failovers have lost, as the audit log says. */
  readonly setBacks: readonly SetBack[]
}

/** The parameters of {@link verifyAuditChains}. */
interface Walk {
  readonly client: pg.PoolClient
  readonly keys: AuditKeys
}

/**
 * Verifies the chain of every organization and the installation-wide chain. It detects entries that were
 * changed, removed, added or reordered, and chains that were truncated. It reads one snapshot, so entries
 * sealed at the same time cause no errors.
 *
 * @param anchors - made earlier by `makeAuditAnchor`. They detect that all chains together were restored
 * to an earlier state. Anchors of links that a failover has lost are not compared: the audit log names these links.
 */
export async function verifyAuditChains(
  { pool }: Database,
  keys: AuditKeys,
  anchors: readonly AuditAnchor[] = [],
): Promise<ChainReport> {
  return await runTransaction(
    { pool },
    (client) => walkChains({ client, keys }, anchors),
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  )
}

async function walkChains(walk: Walk, anchors: readonly AuditAnchor[]): Promise<ChainReport> {
  const setBacks = await readSetBacks(walk.client)
  // Other workers may have added links after the last one that the entry names.
  const isLost = ({ count, time }: AuditAnchor): boolean =>
    setBacks.some(
      ({ from, occurredAt }) => count >= from && Date.parse(time) <= occurredAt.getTime(),
    )
  const installation = await walkLinks(
    walk,
    anchors.filter((anchor) => !isLost(anchor)),
  )
  const tenants = await run(walk.client, tenantsStatement, {})
  const errors: ChainError[] = [...(await findDetached(walk)), ...(await findUnsealed(walk))]
  let rows = 0
  for (const { tenantId } of tenants) {
    const chain = await walkChain(walk, tenantId, installation.heads.get(tenantId))
    rows += chain.rows
    errors.push(...chain.errors)
  }
  return { tenants: tenants.length, rows, errors: [...errors, ...installation.errors], setBacks }
}

/** Returns the organizations that have a chain or seals. Locks nothing. */
const tenantsStatement = defineStatement({
  name: 'list-tenants-with-audit-chain',
  takes: {},
  gives: { tenantId: notNull(uuid, 'of either table') },
  sql: 'SELECT tenant_id FROM audit_chain UNION SELECT tenant_id FROM audit_seals ORDER BY 1',
})

/** Verifies the installation-wide chain. Returns the head of every organization. */
async function walkLinks(
  { client, keys }: Walk,
  anchors: readonly AuditAnchor[],
): Promise<{ heads: Map<string, Link>; errors: ChainError[] }> {
  const heads = new Map<string, Link>()
  const errors: ChainError[] = []
  const report = (sequence: bigint, error: string) =>
    errors.push({ tenantId: null, sequence, error })
  const anchored = new Map(anchors.map((anchor) => [BigInt(anchor.count), '']))
  anchored.set(0n, chainStart.toString('hex'))
  let [sequence, previous, oldest]: [bigint, Buffer, number] = [0n, chainStart, keys.keys.length]
  for (;;) {
    const page = await readLinks(client, sequence, pageMax)
    for (const link of page) {
      if (link.sequence !== sequence + 1n) report(sequence + 1n, 'the link is missing')
      const found = findKeyIndex(keys, oldest, (key) =>
        isSameHash(linkHash(key, { ...link, previous }), link.link),
      )
      if (found < 0) errors.push(changedLink(link))
      else oldest = found
      ;[sequence, previous] = [link.sequence, link.link]
      heads.set(link.tenantId, link)
      if (anchored.has(sequence)) anchored.set(sequence, link.link.toString('hex'))
    }
    if (page.length < pageMax) break
  }
  for (const anchor of anchors) {
    const error = checkAnchor(keys, anchor, {
      count: sequence,
      hash: anchored.get(BigInt(anchor.count)),
    })
    if (error) report(BigInt(anchor.count), `the anchor of ${anchor.time}: ${error}`)
  }
  return { heads, errors }
}

function checkAnchor(
  { keys }: AuditKeys,
  anchor: AuditAnchor,
  found: { count: bigint; hash: string | undefined },
): string | undefined {
  if (!keys.some((key) => signAnchor(key, anchor) === anchor.signature)) {
    return 'it is not signed with the audit key'
  }
  if (found.count < anchor.count) return `the chain has only ${found.count} links`
  return found.hash === anchor.hash ? undefined : 'the chain was a different one at that time'
}

async function walkChain(
  { client, keys }: Walk,
  tenantId: string,
  head: Link | undefined,
): Promise<{ rows: number; errors: ChainError[] }> {
  const errors: ChainError[] = []
  let [count, hash, oldest]: [bigint, Buffer, number] = [0n, chainStart, keys.keys.length]
  for (;;) {
    const page = await readSeals(client, tenantId, count)
    for (const { sequence, seal, event } of page) {
      if (sequence !== count + 1n) {
        errors.push({ tenantId, sequence: count + 1n, error: 'the seal is missing' })
      }
      const sealed = { previous: hash, sequence, row: event, seal }
      const found = event ? findSealKey(keys, sealed, oldest) : -1
      if (!event) errors.push({ tenantId, sequence, error: 'the entry was removed' })
      else if (found < 0) {
        errors.push({ tenantId, sequence, error: 'the entry or its position was changed' })
      }
      if (found >= 0) oldest = found
      ;[count, hash] = [sequence, seal]
    }
    if (page.length < pageMax) break
  }
  const headError = checkHead(head, { count, hash })
  if (headError) errors.push({ tenantId, sequence: null, error: headError })
  return { rows: Number(count), errors }
}

function checkHead(
  head: { count: bigint; hash: Buffer } | undefined,
  found: { count: bigint; hash: Buffer },
): string | undefined {
  if (!head) return 'the head was removed'
  if (head.count === found.count && isSameHash(head.hash, found.hash)) return undefined
  return `the head counts ${head.count} entries, but the chain has ${found.count}`
}

async function readSeals(
  client: pg.PoolClient,
  tenantId: string,
  after: bigint,
): Promise<{ sequence: bigint; seal: Buffer; event: object | undefined }[]> {
  const rows = await run(client, sealsStatement, { tenantId, after: String(after), pageMax })
  return rows.map(({ sequence, seal, ...entry }) => ({
    sequence: BigInt(sequence),
    seal,
    event: toSealable(entry),
  }))
}

/** Returns a page of the seals of an organization with their entries, oldest first. Locks nothing. */
const sealsStatement = defineStatement({
  name: 'list-audit-seals',
  takes: { tenantId: uuid, after: bigint, pageMax: int },
  gives: { sequence: bigint, seal: bytes, ...entryTypes },
  sql: `
    SELECT s.sequence, s.hash AS seal, e.* FROM audit_seals s
    LEFT JOIN (SELECT ${sealedColumns} FROM audit_events) e ON e.id = s.audit_event_id
    WHERE s.tenant_id = :tenantId AND s.sequence > :after ORDER BY s.sequence LIMIT :pageMax`,
})

/** Finds heads in the installation-wide chain that the organization's own chain does not contain. */
async function findDetached({ client }: Walk): Promise<ChainError[]> {
  const rows = await run(client, detachedStatement, {})
  return rows.map(({ tenantId, count }) => ({
    tenantId,
    sequence: BigInt(count),
    error: 'the seal is not the one in the installation-wide chain',
  }))
}

/** Returns the heads in the installation-wide chain that are not the seal with their number. Locks nothing. */
const detachedStatement = defineStatement({
  name: 'list-detached-heads',
  takes: {},
  gives: { tenantId: uuid, count: bigint },
  sql: `
    SELECT c.tenant_id, c.count FROM audit_chain c
    LEFT JOIN audit_seals s ON s.tenant_id = c.tenant_id AND s.sequence = c.count
    WHERE s.hash IS DISTINCT FROM c.hash ORDER BY c.sequence LIMIT ${errorsMax}`,
})

/**
 * An entry that is neither sealed nor waiting for its seal was added past the trigger. A waiting seal
 * without an entry shows that the entry was removed.
 */
async function findUnsealed({ client }: Walk): Promise<ChainError[]> {
  const rows = await run(client, unsealedStatement, {})
  return rows.map(({ tenantId, id, removed }) => ({
    tenantId,
    sequence: null,
    error: removed
      ? `entry ${id}, which was waiting for its seal, was removed`
      : `entry ${id} is neither sealed nor waiting for its seal`,
  }))
}

/** Returns entries that neither have a seal nor wait for one, and those that wait but were removed. Locks nothing. */
const unsealedStatement = defineStatement({
  name: 'list-entries-without-seal',
  takes: {},
  gives: {
    tenantId: notNull(uuid, 'of either table'),
    id: notNull(uuid, 'of either table'),
    removed: notNull(bool, 'a constant'),
  },
  sql: `
    SELECT e.tenant_id, e.id, false AS removed FROM audit_events e
    WHERE NOT EXISTS (SELECT 1 FROM audit_seals s WHERE s.audit_event_id = e.id)
      AND NOT EXISTS (SELECT 1 FROM audit_unsealed w WHERE w.audit_event_id = e.id)
    UNION ALL
    SELECT w.tenant_id, w.audit_event_id, true FROM audit_unsealed w
    WHERE NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.id = w.audit_event_id)
    LIMIT ${errorsMax}`,
})
