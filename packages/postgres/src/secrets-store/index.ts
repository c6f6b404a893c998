import { type SecretsStore } from '@hosting/core/secrets-store'
import { totpContext } from '@hosting/core/sessions'
import { customHeadersContext, signingSecretContext } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'

const { int, notNull, text, uuid } = types

/**
 * The columns with values encrypted by the secrets store, and the column of the id that the encrypted value is
 * bound to.
 */
const encryptedColumns = {
  webhook_secrets: { id: 'id', encrypted: 'encrypted', contextOf: signingSecretContext },
  webhook_headers: { id: 'id', encrypted: 'encrypted', contextOf: customHeadersContext },
  totp_factors: { id: 'user_id', encrypted: 'encrypted_seed', contextOf: totpContext },
} as const

type Table = keyof typeof encryptedColumns
const tables = Object.keys(encryptedColumns) as Table[]

/** An encrypted record has the form `v1:<key id>:<the rest>`. */
const keyIdOf = (table: Table): string => `split_part(${encryptedColumns[table].encrypted}, ':', 2)`

/** The number of records of a table that are encrypted under a key of the keyring. */
export interface EncryptedCount {
  readonly table: string
  readonly keyId: string
  readonly count: number
}

/** Counts encrypted records by table and key id. */
export async function countEncryptedSecrets({ pool }: Database): Promise<EncryptedCount[]> {
  const counts: EncryptedCount[] = []
  for (const table of tables) {
    const rows = await run(pool, statements[table].count, {})
    counts.push(...rows.map((row) => ({ table, ...row })))
  }
  return counts
}

/** The statements on the encrypted column of a table. */
function defineFor(table: Table) {
  const { id, encrypted } = encryptedColumns[table]
  return {
    count: defineStatement({
      name: `count-encrypted-in-${table}`,
      takes: {},
      gives: { keyId: notNull(text, 'a part of a text'), count: notNull(int, 'count') },
      sql: `SELECT ${keyIdOf(table)} AS key_id, count(*)::int AS count FROM ${table} GROUP BY 1 ORDER BY 1`,
    }),
    list: defineStatement({
      name: `list-encrypted-in-${table}`,
      takes: { lastId: uuid, keyId: text, pageSize: int },
      gives: { id: uuid, encrypted: text },
      sql: `
        SELECT ${id} AS id, ${encrypted} AS encrypted FROM ${table}
        WHERE ${id} > :lastId AND ${keyIdOf(table)} <> :keyId ORDER BY ${id} LIMIT :pageSize`,
    }),
    replace: defineStatement({
      name: `replace-encrypted-in-${table}`,
      takes: { id: uuid, encrypted: text, to: text },
      gives: {},
      sql: `UPDATE ${table} SET ${encrypted} = :to WHERE ${id} = :id AND ${encrypted} = :encrypted`,
    }),
  }
}

const statements: Readonly<Record<Table, ReturnType<typeof defineFor>>> = {
  webhook_secrets: defineFor('webhook_secrets'),
  webhook_headers: defineFor('webhook_headers'),
  totp_factors: defineFor('totp_factors'),
}

/** A signing secret as it is stored. */
export interface EncryptedSigningSecret {
  readonly id: string
  readonly encrypted: string
}

/**
 * Returns the newest signing secrets under each key of the keyring. They show whether a process has the
 * right keys.
 */
export async function sampleSigningSecrets({ pool }: Database): Promise<EncryptedSigningSecret[]> {
  return await run(pool, sampleStatement, { perKey: sampledPerKey })
}

const sampledPerKey = 5

/** Returns the newest secrets of each key of the keyring. Locks nothing. */
const sampleStatement = defineStatement({
  name: 'sample-signing-secrets',
  takes: { perKey: int },
  gives: { id: uuid, encrypted: text },
  sql: `
    SELECT id, encrypted FROM (
      SELECT id, encrypted,
        row_number() OVER (PARTITION BY ${keyIdOf('webhook_secrets')} ORDER BY created_at DESC) AS number
      FROM webhook_secrets
    ) s WHERE number <= :perKey`,
})

/** A record that no key of the keyring decrypts. */
export interface UndecryptableRecord {
  readonly table: string
  readonly id: string
}

/** The result of {@link reencryptSecrets}. */
export interface ReencryptReport {
  readonly reencrypted: number
  readonly undecryptable: readonly UndecryptableRecord[]
}

/**
 * Encrypts every record that is not encrypted under the key again, so that its former key can be removed from
 * the keyring. The service can keep running, and the operation can be interrupted and restarted: each
 * record is changed individually, and only if it has not changed since it was read.
 *
 * @param options - `keyId`: the first key of the keyring behind `secrets`; `pageSize`: records per read.
 */
export async function reencryptSecrets(
  database: Database,
  secrets: SecretsStore,
  { keyId, pageSize = 500 }: { keyId: string; pageSize?: number },
): Promise<ReencryptReport> {
  let reencrypted = 0
  const undecryptable: UndecryptableRecord[] = []
  for (const table of tables) {
    for await (const record of recordsUnderOtherKeys(database, { table, keyId, pageSize })) {
      const encrypted = reencrypt(
        secrets,
        encryptedColumns[table].contextOf(record.id),
        record.encrypted,
      )
      if (encrypted === undefined) undecryptable.push({ table, id: record.id })
      else if (await replaceEncrypted(database, table, { ...record, to: encrypted }))
        reencrypted += 1
    }
  }
  return { reencrypted, undecryptable }
}

interface EncryptedRecord {
  readonly id: string
  readonly encrypted: string
}

async function* recordsUnderOtherKeys(
  { pool }: Database,
  { table, keyId, pageSize }: { table: Table; keyId: string; pageSize: number },
): AsyncGenerator<EncryptedRecord> {
  let lastId = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await run(pool, statements[table].list, { lastId, keyId, pageSize })
    yield* rows
    if (rows.length < pageSize) return
    lastId = rows.at(-1)!.id
  }
}

function reencrypt(secrets: SecretsStore, context: string, encrypted: string): string | undefined {
  try {
    return secrets.encrypt(secrets.decrypt(encrypted, context), context)
  } catch {
    return undefined
  }
}

/**
 * One row per statement: locking two rows at a time could deadlock with a rotation of the same endpoint.
 */
async function replaceEncrypted(
  { pool }: Database,
  table: Table,
  record: EncryptedRecord & { to: string },
): Promise<boolean> {
  return (await execute(pool, statements[table].replace, record)) === 1
}
