import { type SecretsStore } from '@hosting/core/secrets-store'
import { totpContext } from '@hosting/core/sessions'
import { customHeadersContext, signingSecretContext } from '@hosting/core/webhooks'
import type { Database } from '../database/database.ts'

/**
 * The columns with values sealed by the secrets store, and the column of the id that the sealed value is
 * bound to.
 */
const sealedColumns = {
  webhook_secrets: { id: 'id', sealed: 'sealed', contextOf: signingSecretContext },
  webhook_headers: { id: 'id', sealed: 'sealed', contextOf: customHeadersContext },
  totp_factors: { id: 'user_id', sealed: 'sealed_seed', contextOf: totpContext },
} as const

type Table = keyof typeof sealedColumns
const tables = Object.keys(sealedColumns) as Table[]

/** The number of records of a table that are sealed under a key of the keyring. */
export interface SealedCount {
  readonly table: string
  readonly keyId: string
  readonly count: number
}

/** Counts sealed records by table and key id. */
export async function countSealedSecrets({ pool }: Database): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const table of tables) {
    const { rows } = await pool.query<{ key_id: string; count: number }>(
      `SELECT ${keyIdOf(table)} AS key_id, count(*)::int AS count FROM ${table} GROUP BY 1 ORDER BY 1`,
    )
    counts.push(...rows.map(({ key_id, count }) => ({ table, keyId: key_id, count })))
  }
  return counts
}

/** A signing secret as it is stored. */
export interface SealedSigningSecret {
  readonly id: string
  readonly sealed: string
}

/**
 * Returns the newest signing secrets under each key of the keyring. They show whether a process has the
 * right keys.
 */
export async function sampleSigningSecrets({ pool }: Database): Promise<SealedSigningSecret[]> {
  const { rows } = await pool.query<SealedSigningSecret>(
    `SELECT id::text, sealed FROM (
       SELECT id, sealed, row_number() OVER (PARTITION BY ${keyIdOf('webhook_secrets')} ORDER BY created_at DESC) AS place
       FROM webhook_secrets
     ) s WHERE place <= $1`,
    [sampledPerKey],
  )
  return rows
}

const sampledPerKey = 5

/** A record that no key of the keyring can open. */
export interface UnopenedSecret {
  readonly table: string
  readonly id: string
}

/** The result of {@link resealSecrets}. */
export interface ResealReport {
  readonly resealed: number
  readonly unopened: readonly UnopenedSecret[]
}

/**
 * Seals every record that is not sealed under the key again, so that its former key can be removed from
 * the keyring. The service can keep running, and the operation can be interrupted and restarted: each
 * record is changed individually, and only if it has not changed since it was read.
 *
 * @param options - `keyId`: the first key of the keyring behind `secrets`; `pageSize`: records per read.
 */
export async function resealSecrets(
  database: Database,
  secrets: SecretsStore,
  { keyId, pageSize = 500 }: { keyId: string; pageSize?: number },
): Promise<ResealReport> {
  let resealed = 0
  const unopened: UnopenedSecret[] = []
  for (const table of tables) {
    for await (const record of recordsUnderOtherKeys(database, { table, keyId, pageSize })) {
      const sealed = reseal(secrets, sealedColumns[table].contextOf(record.id), record.sealed)
      if (sealed === undefined) unopened.push({ table, id: record.id })
      else if (await replaceSealed(database, table, { ...record, to: sealed })) resealed += 1
    }
  }
  return { resealed, unopened }
}

interface SealedRecord {
  readonly id: string
  readonly sealed: string
}

/** A sealed record has the form `v1:<key id>:<the rest>`. */
const keyIdOf = (table: Table): string => `split_part(${sealedColumns[table].sealed}, ':', 2)`

async function* recordsUnderOtherKeys(
  { pool }: Database,
  { table, keyId, pageSize }: { table: Table; keyId: string; pageSize: number },
): AsyncGenerator<SealedRecord> {
  const { id, sealed } = sealedColumns[table]
  let lastId = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await pool.query<SealedRecord>(
      `SELECT ${id} AS id, ${sealed} AS sealed FROM ${table}
       WHERE ${id} > $1 AND ${keyIdOf(table)} <> $2 ORDER BY ${id} LIMIT $3`,
      [lastId, keyId, pageSize],
    )
    yield* rows
    if (rows.length < pageSize) return
    lastId = rows.at(-1)!.id
  }
}

function reseal(secrets: SecretsStore, context: string, sealed: string): string | undefined {
  try {
    return secrets.seal(secrets.unseal(sealed, context), context)
  } catch {
    return undefined
  }
}

/**
 * One row per statement: locking two rows at a time could deadlock with a rotation of the same endpoint.
 */
async function replaceSealed(
  { pool }: Database,
  table: Table,
  { id, sealed, to }: SealedRecord & { to: string },
): Promise<boolean> {
  const columns = sealedColumns[table]
  const { rowCount } = await pool.query(
    `UPDATE ${table} SET ${columns.sealed} = $3 WHERE ${columns.id} = $1 AND ${columns.sealed} = $2`,
    [id, sealed, to],
  )
  return rowCount === 1
}
