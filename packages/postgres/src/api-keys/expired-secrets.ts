import type { Database } from '../database/database.ts'
import { defineDeletion, type DeletionOptions } from '../database/deletion.ts'

/**
 * Erases the secrets of keys and endpoints whose overlap period has ended. They were already invalid.
 *
 * @returns the number of secrets.
 * @throws the first error, after both kinds were tried.
 */
export async function eraseExpiredSecrets(
  database: Database,
  options?: DeletionOptions,
): Promise<number> {
  const results = await Promise.allSettled([
    deleteOfEndpoints(database, options),
    deleteOfKeys(database, options),
  ])
  let total = 0
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason
    total += result.value
  }
  return total
}

/** Deletes the secrets of endpoints whose overlap period has ended. */
const deleteOfEndpoints = defineDeletion({
  name: 'delete-expired-endpoint-secrets',
  table: 'webhook_secrets',
  where: 'expires_at <= now()',
})

/** Deletes the secrets of keys whose overlap period has ended. */
const deleteOfKeys = defineDeletion({
  name: 'delete-expired-key-secrets',
  table: 'api_key_secrets',
  where: 'expires_at <= now()',
})
