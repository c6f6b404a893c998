import type { Database } from '../database/database.ts'

/** Erases the secrets of keys and endpoints whose overlap period has ended. They were already invalid. */
export async function eraseExpiredSecrets({ pool }: Database): Promise<number> {
  const ofEndpoints = await pool.query('DELETE FROM webhook_secrets WHERE expires_at <= now()')
  const ofKeys = await pool.query('DELETE FROM api_key_secrets WHERE expires_at <= now()')
  return (ofEndpoints.rowCount ?? 0) + (ofKeys.rowCount ?? 0)
}
