import { signingSecretContext, totpContext, type SecretsStore } from '@hosting/core'
import type { Database } from './database.ts'

/** Every column that the secrets store sealed, with the id that its record is bound to. */
const places = {
  webhook_secrets: { id: 'id', sealed: 'sealed', contextOf: signingSecretContext },
  totp_factors: { id: 'user_id', sealed: 'sealed_seed', contextOf: totpContext },
} as const

type Table = keyof typeof places
const tables = Object.keys(places) as Table[]

/** How many records of a table are sealed under a key of the keyring. */
export interface SealedCount {
  readonly table: string
  readonly keyId: string
  readonly count: number
}

/** Counts the sealed records by table and key id. */
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

/** The newest signing secrets under each key of the keyring, which show whether a process has the right keys. */
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

/** A record that no key of the keyring opens. */
export interface UnopenedSecret {
  readonly table: string
  readonly id: string
}

/** What {@link resealSecrets} did. */
export interface ResealReport {
  readonly resealed: number
  readonly unopened: readonly UnopenedSecret[]
}

/**
 * Seals anew every record that is not sealed under the key, so that its former key can be dropped from the
 * keyring. Everything may run meanwhile, and it may be broken off and begun again: each record changes by
 * itself, and only if it is still what was read.
 *
 * @param options - `keyId`: the first key of the keyring behind `secrets`; `pageSize`: records read at a time.
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
      const sealed = sealAnew(secrets, places[table].contextOf(record.id), record.sealed)
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

/** A sealed record is `v1:<key id>:<the rest>`. */
const keyIdOf = (table: Table): string => `split_part(${places[table].sealed}, ':', 2)`

async function* recordsUnderOtherKeys(
  { pool }: Database,
  { table, keyId, pageSize }: { table: Table; keyId: string; pageSize: number },
): AsyncGenerator<SealedRecord> {
  const { id, sealed } = places[table]
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

function sealAnew(secrets: SecretsStore, context: string, sealed: string): string | undefined {
  try {
    return secrets.seal(secrets.unseal(sealed, context), context)
  } catch {
    return undefined
  }
}

/** One row a statement: two rows locked at a time could wait in a circle with a rotation of the same endpoint. */
async function replaceSealed(
  { pool }: Database,
  table: Table,
  { id, sealed, to }: SealedRecord & { to: string },
): Promise<boolean> {
  const place = places[table]
  const { rowCount } = await pool.query(
    `UPDATE ${table} SET ${place.sealed} = $3 WHERE ${place.id} = $1 AND ${place.sealed} = $2`,
    [id, sealed, to],
  )
  return rowCount === 1
}
