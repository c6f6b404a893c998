import { failPoint } from '@hosting/core/fail-points'
import type { ChangedKey } from './key-changes.ts'
import { types } from '../database/column-types.ts'
import type { Client, Database } from '../database/database.ts'
import { defineStatement, execute, executeIn, run } from '../database/statement.ts'

const { bigint, bool, keyId, listOf, notNull, text } = types

/** Stores changes that could not be sent to Redis. Pass the transaction of the change. */
export async function keepInvalidations(tx: Client, changed: readonly ChangedKey[]): Promise<void> {
  await executeIn(tx, storeStatement, {
    keyIds: changed.map((key) => key.keyId),
    versions: changed.map((key) => String(key.version)),
  })
}

/** Stores changes of keys for the gate. Of a key that is stored already, the higher version remains. */
const storeStatement = defineStatement({
  name: 'store-invalidations',
  takes: { keyIds: listOf(text), versions: listOf(bigint) },
  gives: {},
  sql: `
    INSERT INTO gate_invalidations (key_id, version)
    SELECT * FROM unnest(:keyIds, :versions)
    ON CONFLICT (key_id) DO UPDATE SET version = greatest(gate_invalidations.version, EXCLUDED.version)`,
})

/**
 * Passes stored changes to `announce` and deletes those that it delivered.
 *
 * @param announce - sends the changes to Redis. If it throws, all changes remain stored.
 * @returns the number of changes delivered.
 */
export async function drainInvalidations(
  { pool }: Database,
  announce: (changed: ChangedKey[]) => Promise<void>,
): Promise<number> {
  const rows = await run(pool, storedStatement, {})
  if (rows.length === 0) return 0
  await announce(rows.map((row) => ({ ...row, version: Number(row.version) })))
  failPoint('invalidation.delivered')
  await execute(pool, dropStatement, {
    keyIds: rows.map((row) => row.keyId),
    versions: rows.map((row) => row.version),
  })
  return rows.length
}

/** Returns the oldest stored changes, and whether their keys are revoked. Locks nothing. */
const storedStatement = defineStatement({
  name: 'list-stored-invalidations',
  takes: {},
  gives: { keyId, version: bigint, revoked: notNull(bool, 'the result of EXISTS') },
  sql: `
    SELECT key_id, version,
      EXISTS (SELECT FROM api_keys k WHERE k.id = key_id AND k.revoked_at IS NOT NULL) AS revoked
    FROM gate_invalidations ORDER BY created_at LIMIT 1000`,
})

/** Deletes changes, unless a later version of the key was stored. */
const dropStatement = defineStatement({
  name: 'drop-delivered-invalidations',
  takes: { keyIds: listOf(text), versions: listOf(bigint) },
  gives: {},
  sql: `
    DELETE FROM gate_invalidations g USING unnest(:keyIds, :versions) AS announced (key_id, version)
    WHERE g.key_id = announced.key_id AND g.version <= announced.version`,
})
