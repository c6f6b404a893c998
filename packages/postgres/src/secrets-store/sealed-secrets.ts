import { type SecretsStore } from '@hosting/core/secrets-store'
import { totpContext } from '@hosting/core/sessions'
import { customHeadersContext, signingSecretContext } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'

const { int, notNull, text, uuid } = types

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

/** A sealed record has the form `v1:<key id>:<the rest>`. */
const keyIdOf = (table: Table): string => `split_part(${sealedColumns[table].sealed}, ':', 2)`

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
    const rows = await run(pool, statements[table].count, {})
    counts.push(...rows.map((row) => ({ table, ...row })))
  }
  return counts
}

/** The statements on the sealed column of a table. */
function defineFor(table: Table) {
  const { id, sealed } = sealedColumns[table]
  return {
    count: defineStatement({
      name: `count-sealed-in-${table}`,
      takes: {},
      gives: { keyId: notNull(text, 'a part of a text'), count: notNull(int, 'count') },
      sql: `SELECT ${keyIdOf(table)} AS key_id, count(*)::int AS count FROM ${table} GROUP BY 1 ORDER BY 1`,
    }),
    list: defineStatement({
      name: `list-sealed-in-${table}`,
      takes: { lastId: uuid, keyId: text, pageSize: int },
      gives: { id: uuid, sealed: text },
      sql: `
        SELECT ${id} AS id, ${sealed} AS sealed FROM ${table}
        WHERE ${id} > :lastId AND ${keyIdOf(table)} <> :keyId ORDER BY ${id} LIMIT :pageSize`,
    }),
    replace: defineStatement({
      name: `replace-sealed-in-${table}`,
      takes: { id: uuid, sealed: text, to: text },
      gives: {},
      sql: `UPDATE ${table} SET ${sealed} = :to WHERE ${id} = :id AND ${sealed} = :sealed`,
    }),
  }
}

const statements: Readonly<Record<Table, ReturnType<typeof defineFor>>> = {
  webhook_secrets: defineFor('webhook_secrets'),
  webhook_headers: defineFor('webhook_headers'),
  totp_factors: defineFor('totp_factors'),
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
  return await run(pool, sampleStatement, { perKey: sampledPerKey })
}

const sampledPerKey = 5

/** Gives the newest secrets of each key of the keyring. It locks nothing. */
const sampleStatement = defineStatement({
  name: 'sample-signing-secrets',
  takes: { perKey: int },
  gives: { id: uuid, sealed: text },
  sql: `
    SELECT id, sealed FROM (
      SELECT id, sealed,
        row_number() OVER (PARTITION BY ${keyIdOf('webhook_secrets')} ORDER BY created_at DESC) AS number
      FROM webhook_secrets
    ) s WHERE number <= :perKey`,
})

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

async function* recordsUnderOtherKeys(
  { pool }: Database,
  { table, keyId, pageSize }: { table: Table; keyId: string; pageSize: number },
): AsyncGenerator<SealedRecord> {
  let lastId = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await run(pool, statements[table].list, { lastId, keyId, pageSize })
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
  record: SealedRecord & { to: string },
): Promise<boolean> {
  return (await execute(pool, statements[table].replace, record)) === 1
}
