import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, execute } from '../database/statement.ts'

const { bytes, float } = types

/**
 * Uses a value that can be used once: the challenge of a passkey, or the `state` of a sign-in by the identity provider. Of
 * several calls on any processes, only the first returns true.
 *
 * @param nonceHash - SHA-256 of the value, which is random.
 * @param lifetimeMs - how long the value can be shown again, in ms.
 */
export async function takeNonce(
  { pool }: Database,
  nonceHash: Uint8Array,
  lifetimeMs: number,
): Promise<boolean> {
  const values = { nonceHash: Buffer.from(nonceHash), lifetimeMs }
  return (await execute(pool, takeStatement, values)) === 1
}

/** Adds a nonce. No row is added if it was used before. */
const takeStatement = defineStatement({
  name: 'take-nonce',
  takes: { nonceHash: bytes, lifetimeMs: float },
  gives: {},
  sql: `
    INSERT INTO used_nonces (nonce_hash, expires_at)
    VALUES (:nonceHash, clock_timestamp() + :lifetimeMs * interval '1 ms') ON CONFLICT DO NOTHING`,
})

/** Deletes used values that have expired. Returns their number. */
export const dropExpiredNonces = defineDeletion({
  name: 'delete-expired-nonces',
  table: 'used_nonces',
  where: 'expires_at < now()',
})
