import type { AuditAction } from '@hosting/core/audit'
import { currentTime } from '@hosting/core/clock'
import { appendAuditEvents, type AuditContext } from '../audit/audit-events.ts'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { retryTransient } from '../database/errors.ts'
import { defineStatement, run } from '../database/statement.ts'
import { raiseKeyVersions, type ChangedKey } from './key-changes.ts'
import {
  examineLineages,
  listLineageTrees,
  type LineagePosition,
  type LineageTree,
} from './key-lineage.ts'

const { int } = types

/**
 * Revokes a key that the transaction has locked.
 *
 * @returns whether it was not revoked before.
 */
export const revokeApiKey = async (tx: Transaction, id: string): Promise<boolean> =>
  (await revokeApiKeys(tx, [id])).length > 0

async function revokeApiKeys(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const revokedAt = currentTime()
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE api_keys SET revoked_at = ${revokedAt}, updated_at = ${revokedAt}
    WHERE id = ANY (${[...ids]}::bpchar[]) AND revoked_at IS NULL
    RETURNING id`
  return rows.map(({ id }) => id)
}

/**
 * Records that everything that was created with a key is to be revoked. The transaction must revoke the key, or have
 * found it revoked.
 *
 * @param audit - what the audit entries have in common.
 */
export async function requestDescendantRevocation(
  tx: Transaction,
  keyId: string,
  audit: AuditContext,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO key_revocations (key_id, audit) VALUES (${keyId}, ${JSON.stringify(audit)}::jsonb)
    ON CONFLICT DO NOTHING`
}

/** Lists the keys whose descendants are being revoked, longest requested first. */
export async function listRequestedRevocations(
  { pool }: Pick<Database, 'pool'>,
  take: number,
): Promise<string[]> {
  const rows = await run(pool, requestedStatement, { take })
  return rows.map((row) => row.keyId)
}

/** Returns keys whose descendants are being revoked, longest requested first. Locks nothing. */
const requestedStatement = defineStatement({
  name: 'list-requested-revocations',
  takes: { take: int },
  gives: { keyId: types.keyId },
  sql: 'SELECT key_id FROM key_revocations ORDER BY created_at LIMIT :take',
})

/** The result of a step of {@link createDescendantRevocation}. */
export interface RevocationStep {
  /** `busy`: another process is at it, or everything is revoked already. */
  readonly state: 'more' | 'done' | 'busy'
  /** The keys that were revoked, or whose secrets ended. */
  readonly changed: readonly ChangedKey[]
}

/** How the keys of a step are announced in its transaction, see `gate.mark`. */
type Announce = (tx: Transaction, changed: readonly ChangedKey[]) => Promise<void>

/** Rows that a step examines. */
const stepMax = 500

/**
 * Revokes what was created with a key, in steps of one short transaction each. Any number of processes may do so at
 * the same time. The key must be revoked already and {@link requestDescendantRevocation} recorded.
 *
 * A pass examines the live rows of the key's trees from the top down. The work is done when a pass finds nothing. It
 * is complete then: a key locks its own row while it creates or rotates another one, so a row that is added after its
 * position was examined was added with a key or secret that was live when its own, higher position was examined.
 *
 * @returns the function that takes the next step.
 */
export function createDescendantRevocation(
  { prisma }: Pick<Database, 'prisma'>,
  keyId: string,
  announce: Announce,
): () => Promise<RevocationStep> {
  let pass: Pass | undefined
  return async () => {
    const { next, ...step } = await retryTransient(() =>
      prisma.$transaction((tx) => takeStep(tx, { keyId, pass, announce })),
    )
    pass = next
    return step
  }
}

/** A walk over the live rows of all trees of the key. */
interface Pass {
  /** The trees that are left. The first one is being examined. */
  readonly trees: readonly LineageTree[]
  readonly after: LineagePosition | undefined
  readonly hasFound: boolean
}

async function takeStep(
  tx: Transaction,
  { keyId, pass, announce }: { keyId: string; pass: Pass | undefined; announce: Announce },
): Promise<RevocationStep & { next: Pass | undefined }> {
  const audit = await lockRequest(tx, keyId)
  if (!audit) return { state: 'busy', changed: [], next: pass }
  const { trees, after, hasFound } = pass ?? {
    trees: await listLineageTrees(tx, keyId),
    after: undefined,
    hasFound: false,
  }
  const [tree, ...others] = trees
  const rows = tree ? await examineLineages(tx, keyId, { tree, after, take: stepMax }) : []
  const found = rows.filter(({ descends }) => descends)
  const changed = found.length > 0 ? await endLineages(tx, { keyId, found, audit }) : []
  if (changed.length > 0) await announce(tx, changed)
  const next = {
    ...(rows.length === stepMax
      ? { trees, after: rows.at(-1) }
      : { trees: others, after: undefined }),
    hasFound: hasFound || found.length > 0,
  }
  if (next.trees.length > 0) return { state: 'more', changed, next }
  if (next.hasFound) return { state: 'more', changed, next: undefined }
  await tx.$executeRaw`DELETE FROM key_revocations WHERE key_id = ${keyId}`
  return { state: 'done', changed, next: undefined }
}

async function lockRequest(tx: Transaction, keyId: string): Promise<AuditContext | undefined> {
  const [row] = await tx.$queryRaw<{ audit: AuditContext }[]>`
    SELECT audit FROM key_revocations WHERE key_id = ${keyId} FOR UPDATE SKIP LOCKED`
  return row?.audit
}

/** What ends in a step. */
interface Ending {
  readonly keyId: string
  readonly found: readonly {
    readonly id: string
    readonly keyId: string
    readonly isKey: boolean
  }[]
  readonly audit: AuditContext
}

/** Locks the keys first, which waits for what they are creating. */
async function endLineages(
  tx: Transaction,
  { keyId, found, audit }: Ending,
): Promise<ChangedKey[]> {
  const keyIds = [...new Set(found.map((each) => each.keyId))]
  await tx.$queryRaw`
    SELECT 1 FROM api_keys WHERE id = ANY (${keyIds}::bpchar[]) ORDER BY id FOR NO KEY UPDATE`
  const newly = new Set(
    await revokeApiKeys(
      tx,
      found.flatMap((each) => (each.isKey ? each.keyId : [])),
    ),
  )
  const revoked = found.flatMap((each) => (each.isKey && newly.has(each.keyId) ? each.keyId : []))
  const withEndedSecrets = await endSecrets(
    tx,
    found.flatMap(({ id, isKey }) => (isKey ? [] : id)),
  )
  const details = { ...audit.details, revoked_with: keyId }
  const entriesOf = (action: AuditAction, ids: readonly string[]) =>
    ids.map((id) => ({ action, target: { type: 'api_key', id }, details }))
  await appendAuditEvents(tx, audit, [
    ...entriesOf('api_key.revoke', revoked),
    ...entriesOf('api_key.revoke_secret', withEndedSecrets),
  ])
  const changed = [...new Set([...revoked, ...withEndedSecrets])]
  return changed.length > 0 ? raiseKeyVersions(tx, { keyIds: changed }) : []
}

/** Ends the secrets of lineages whose keys are locked. Returns the ids of their keys, without those that have none. */
async function endSecrets(tx: Transaction, lineageIds: readonly string[]): Promise<string[]> {
  if (lineageIds.length === 0) return []
  const now = currentTime()
  const rows = await tx.$queryRaw<{ keyId: string }[]>`
    WITH ended AS (
      UPDATE key_lineage SET ended_at = ${now}
      WHERE id = ANY (${[...lineageIds]}::uuid[]) AND ended_at IS NULL
      RETURNING id, key_id
    ), erased AS (
      DELETE FROM api_key_secrets s USING ended
      WHERE s.key_id = ended.key_id AND s.lineage_id = ended.id
      RETURNING s.key_id
    )
    UPDATE api_keys SET updated_at = ${now}
    WHERE id IN (SELECT key_id FROM erased) RETURNING id AS "keyId"`
  return rows.map((row) => row.keyId)
}
