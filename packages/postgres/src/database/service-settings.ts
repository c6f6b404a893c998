import { auditKeysOf, type AuditKeys } from '@hosting/core/audit'
import { type Config, type ServerSecrets } from '@hosting/core/configuration'
import { randomBytes } from 'node:crypto'
import type { Database } from './database.ts'

/**
 * Returns the value stored under a name, creating it if necessary. If several processes start together,
 * one creates the value and all of them use it.
 */
export async function getOrMakeSetting(
  { pool }: Database,
  name: string,
  make: () => Buffer,
): Promise<Buffer> {
  await pool.query(
    'INSERT INTO service_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    [name, make()],
  )
  const { rows } = await pool.query<{ value: Buffer }>(
    'SELECT value FROM service_settings WHERE name = $1',
    [name],
  )
  return rows[0]!.value
}

const serverSecretBytes = 32

/**
 * Returns the keys of keyed hashes, from `SERVER_SECRET` or, if it is not set, a generated and stored
 * one.
 */
export async function getServerSecrets(
  database: Database,
  { serverSecrets }: Pick<Config, 'serverSecrets'>,
): Promise<ServerSecrets> {
  return (
    serverSecrets?.reveal() ?? [
      await getOrMakeSetting(database, 'server_secret', () => randomBytes(serverSecretBytes)),
    ]
  )
}

/**
 * Returns the keys of the audit log's chains, from `AUDIT_KEY` or, if it is not set, the server secret.
 */
export async function getAuditKeys(
  database: Database,
  config: Pick<Config, 'auditKey' | 'serverSecrets'>,
): Promise<AuditKeys> {
  return auditKeysOf(config.auditKey?.reveal(), await getServerSecrets(database, config))
}
