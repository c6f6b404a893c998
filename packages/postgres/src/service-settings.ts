import { auditKeysOf, type AuditKeys, type Config } from '@hosting/core'
import { randomBytes } from 'node:crypto'
import type { Database } from './database.ts'

/**
 * The value kept under a name, made once: of several processes that start together, one makes it and
 * all get it.
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
 * The key of keyed hashes: the configured one, or else one that is made once and kept (contract §6,
 * `SERVER_SECRET`).
 */
export async function getServerSecret(
  database: Database,
  configured: Buffer | undefined,
): Promise<Buffer> {
  return (
    configured ??
    (await getOrMakeSetting(database, 'server_secret', () => randomBytes(serverSecretBytes)))
  )
}

/** The keys of the audit log's chains, from `AUDIT_KEY` or else the server secret. */
export async function getAuditKeys(
  database: Database,
  { auditKey, serverSecret }: Pick<Config, 'auditKey' | 'serverSecret'>,
): Promise<AuditKeys> {
  return auditKeysOf(auditKey?.reveal(), [await getServerSecret(database, serverSecret?.reveal())])
}
