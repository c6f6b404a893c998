import { appendAuditEvents, type AuditActor } from '../audit/audit-events.ts'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { retryTransient } from '../database/errors.ts'
import { defineStatement, run, runIn } from '../database/statement.ts'
import { keepInvalidations } from './gate-invalidations.ts'
import { raiseKeyVersions, type ChangedKey } from './key-changes.ts'

const { bigint, bool, keyId, listOf, notNull, text, uuid } = types

/** A key of which the database has lost the last changes. */
export interface SetBackKey {
  readonly keyId: string
  /** Whether it was revoked, and so is revoked again. */
  readonly revokedAgain: boolean
}

/** The keys that were set back, and their new versions. */
export interface SetBackKeys {
  readonly keys: readonly SetBackKey[]
  readonly changed: readonly ChangedKey[]
}

/**
 * Finds keys whose last changes a failover or a restore has lost: a later version is known than the database has. Revokes
 * those again that were revoked in it, and records the others in the audit log, because what they were is not known. The
 * new version of each is above the one that was lost.
 *
 * @param known - versions that were committed. They must have been read before this call.
 */
export async function restoreKeyChanges(
  database: Database,
  known: readonly ChangedKey[],
): Promise<SetBackKeys> {
  const values = {
    keyIds: known.map((key) => key.keyId),
    versions: known.map(({ version }) => String(version)),
  }
  const found = new Set((await run(database.pool, behindStatement, values)).map(({ id }) => id))
  const lost = known.filter((key) => found.has(key.keyId))
  if (lost.length === 0) return { keys: [], changed: [] }
  return await retryTransient(() => database.prisma.$transaction((tx) => restore(tx, lost)))
}

/** Returns the keys that are behind the known versions. Locks nothing. */
const behindStatement = defineStatement({
  name: 'list-keys-behind',
  takes: { keyIds: listOf(keyId), versions: listOf(bigint) },
  gives: { id: keyId },
  sql: `
    SELECT k.id FROM unnest(:keyIds, :versions) AS known (id, version)
    JOIN api_keys k ON k.id = known.id AND k.version < known.version`,
})

async function restore(tx: Transaction, lost: readonly ChangedKey[]): Promise<SetBackKeys> {
  const rows = await runIn(tx, restoreStatement, {
    keyIds: lost.map((key) => key.keyId),
    versions: lost.map(({ version }) => String(version)),
    revocations: lost.map(({ revoked = false }) => revoked),
  })
  for (const [tenantId, entries] of Map.groupBy(rows, (row) => row.tenantId)) {
    const context = { tenantId, actor: theService, ip: null, requestId: null }
    await appendAuditEvents(tx, context, entries.map(toEntry))
  }
  const keyIds = rows.map(({ id }) => id)
  const changed = keyIds.length > 0 ? await raiseKeyVersions(tx, { keyIds }) : []
  await keepInvalidations(tx, changed)
  return { keys: rows.map(({ id, revokedAgain }) => ({ keyId: id, revokedAgain })), changed }
}

const theService: AuditActor = { type: 'system', id: null, name: null, keyId: null }

const restored = {
  id: keyId,
  tenantId: uuid,
  name: text,
  revokedAgain: notNull(bool, 'a condition without nulls'),
}

const toEntry = ({ id, name, revokedAgain }: RowOf<typeof restored>) => ({
  action: revokedAgain ? ('api_key.revoke' as const) : ('api_key.set_back' as const),
  target: { type: 'api_key', id },
  details: { name, cause: 'failover' },
})

/** Returns keys that are behind the known versions these versions, and revokes those that were revoked. Locks their rows. */
const restoreStatement = defineStatement({
  name: 'restore-key-changes',
  takes: { keyIds: listOf(keyId), versions: listOf(bigint), revocations: listOf(bool) },
  gives: restored,
  sql: `
    WITH behind AS (
      SELECT k.id, known.version, known.revoked AND k.revoked_at IS NULL AS revoked_again
      FROM unnest(:keyIds, :versions, :revocations) AS known (id, version, revoked)
      JOIN api_keys k ON k.id = known.id AND k.version < known.version
      ORDER BY k.id FOR NO KEY UPDATE OF k
    )
    UPDATE api_keys k SET version = b.version, updated_at = statement_timestamp(),
      revoked_at = CASE WHEN b.revoked_again THEN statement_timestamp() ELSE k.revoked_at END
    FROM behind b WHERE k.id = b.id
    RETURNING k.id, k.tenant_id, k.name, b.revoked_again`,
})
