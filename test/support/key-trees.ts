import { createKeySecret, formatKeyToken, hashKeySecret } from '@hosting/core/api-keys'
import { sessionConfigOf, type Database } from '@hosting/postgres/database'
import pg from 'pg'
import { serverSecret } from './environment.ts'

/** A key that exists, as the root of a tree. */
export interface TreeRoot {
  readonly keyId: string
  /** 4 characters, which begin the ids of the tree. */
  readonly prefix: string
}

/** Key ids hold neither 0, 1, 8 nor 9. */
const keyId = (number: string): string =>
  `$2 || translate(lpad((${number})::text, 8, '0'), '0189', 'abcd')`

/**
 * Inserts keys without events, which would take most of the time, and on a connection without the time limits of the
 * service, which a busy machine may exceed. Behind a pooler, the service makes them the defaults of its role, so the
 * session must not inherit them.
 */
async function insertKeys<Row extends pg.QueryResultRow>(
  { directUrl }: Database,
  sql: string,
  values: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(sessionConfigOf(directUrl))
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query('ALTER TABLE api_keys DISABLE TRIGGER api_keys_publish_created')
    const { rows } = await client.query<Row>(sql, values)
    await client.query('ALTER TABLE api_keys ENABLE TRIGGER api_keys_publish_created')
    await client.query('COMMIT')
    return rows
  } finally {
    await client.end()
  }
}

/** Inserts a chain of keys below a key, each created with the one before. Returns the id of the last one. */
export async function insertChain(
  database: Database,
  { keyId: root, prefix }: TreeRoot,
  { length, revoked }: { length: number; revoked: boolean },
): Promise<string> {
  const rows = await insertKeys<{ id: string }>(
    database,
    `INSERT INTO api_keys (id, tenant_id, user_id, kind, source, name, scopes, parent_key_id, revoked_at)
     SELECT ${keyId('n')}, r.tenant_id, r.user_id, r.kind, 'api', 'Link ' || n, r.scopes,
       CASE n WHEN 1 THEN r.id ELSE ${keyId('n - 1')} END, CASE WHEN $4 THEN now() END
     FROM api_keys r, generate_series(1, $3::int) n WHERE r.id = $1 ORDER BY n RETURNING id`,
    [root, prefix, length, revoked],
  )
  return rows.at(-1)!.id
}

/** Inserts keys that were created with a key. */
export async function insertChildren(
  database: Database,
  { keyId: root, prefix }: TreeRoot,
  { count, revoked }: { count: number; revoked: boolean },
): Promise<void> {
  await insertKeys(
    database,
    `INSERT INTO api_keys (id, tenant_id, user_id, kind, source, name, scopes, parent_key_id, revoked_at)
     SELECT ${keyId('n')}, r.tenant_id, r.user_id, r.kind, 'api', 'Child ' || n, r.scopes, r.id,
       CASE WHEN $4 THEN now() END
     FROM api_keys r, generate_series(1, $3::int) n WHERE r.id = $1 RETURNING id`,
    [root, prefix, count, revoked],
  )
}

/** Counts the keys that are not revoked and were inserted below keys of the organization of a key. */
export async function countUnrevoked({ pool }: Database, id: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM api_keys k JOIN api_keys r ON r.tenant_id = k.tenant_id
     WHERE r.id = $1 AND k.name ~ '^(Link|Child) [0-9]+$' AND k.revoked_at IS NULL`,
    [id],
  )
  return rows[0]!.count
}

/** Gives a key that was inserted a secret; returns its token. */
export async function addSecret({ pool }: Database, id: string): Promise<string> {
  const token = createKeySecret(id)
  await pool.query('INSERT INTO api_key_secrets (id, key_id, hash) VALUES (uuid_v7(), $1, $2)', [
    id,
    hashKeySecret(serverSecret, token),
  ])
  return formatKeyToken(token)
}
