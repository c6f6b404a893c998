import { createUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'

const { float, text, uuid } = types

/** The right of a caller to run its one export. */
export interface ExportSlot {
  /** The key or person. */
  readonly caller: string
  /** Identifies the export. */
  readonly id: string
}

/**
 * Claims the slot of a caller, across all processes.
 *
 * @param livesMs - how long the slot lasts without renewal, in ms.
 * @returns `undefined` if another export of the caller has it.
 */
export async function claimExportSlot(
  { pool }: Pick<Database, 'pool'>,
  caller: string,
  livesMs: number,
): Promise<ExportSlot | undefined> {
  await execute(pool, dropStatement, {})
  const slot = { caller, id: createUuidv7() }
  const [claimed] = await run(pool, claimStatement, { ...slot, livesMs })
  return claimed && slot
}

/** Deletes slots of processes that ended without freeing them. */
const dropStatement = defineStatement({
  name: 'delete-expired-exports',
  takes: {},
  gives: {},
  sql: 'DELETE FROM exports WHERE expires_at <= now()',
})

/** Takes the slot of a caller, and gives its id. None: another export has it. */
const claimStatement = defineStatement({
  name: 'claim-export',
  takes: { caller: text, id: uuid, livesMs: float },
  gives: { id: uuid },
  sql: `
    INSERT INTO exports AS e (caller, id, expires_at)
    VALUES (:caller, :id, now() + :livesMs * interval '1 ms')
    ON CONFLICT (caller) DO UPDATE SET id = EXCLUDED.id, expires_at = EXCLUDED.expires_at
      WHERE e.expires_at <= now()
    RETURNING id`,
})

/** Renews a slot. Returns whether the export still had it. */
export async function keepExportSlot(
  { pool }: Pick<Database, 'pool'>,
  slot: ExportSlot,
  livesMs: number,
): Promise<boolean> {
  return (await execute(pool, keepStatement, { ...slot, livesMs })) === 1
}

/** Extends the time of a slot, unless another export has it. */
const keepStatement = defineStatement({
  name: 'keep-export',
  takes: { caller: text, id: uuid, livesMs: float },
  gives: {},
  sql: `
    UPDATE exports SET expires_at = now() + :livesMs * interval '1 ms'
    WHERE caller = :caller AND id = :id`,
})

/** Frees a slot, unless another export has it. */
export async function freeExportSlot(
  { pool }: Pick<Database, 'pool'>,
  slot: ExportSlot,
): Promise<void> {
  await execute(pool, freeStatement, { ...slot })
}

/** Deletes a slot, unless another export has it. */
const freeStatement = defineStatement({
  name: 'free-export',
  takes: { caller: text, id: uuid },
  gives: {},
  sql: 'DELETE FROM exports WHERE caller = :caller AND id = :id',
})
