import { currentTime } from '@hosting/core'
import type { Client, Transaction } from '../database/database.ts'

/**
 * Locks the keys that were created with a key, directly or indirectly, until the transaction ends. The key itself
 * must already be locked.
 *
 * A key locks its own row while it creates another one. Once all known descendants are locked, a child is therefore
 * either committed and found by the next read, or its creation waits and is then refused. The loop ends when a read
 * finds nothing new.
 *
 * @returns the ids of the descendants, in any state.
 */
export async function lockDescendants(tx: Transaction, id: string): Promise<string[]> {
  const locked = new Set<string>()
  for (;;) {
    const found = await tx.$queryRaw<{ id: string }[]>`
      WITH RECURSIVE descendants AS (
        SELECT id FROM api_keys WHERE parent_key_id = ${id}
        UNION SELECT k.id FROM api_keys k JOIN descendants d ON k.parent_key_id = d.id
      )
      SELECT id FROM descendants`
    const fresh = found.map((row) => row.id).filter((each) => !locked.has(each))
    if (fresh.length === 0) return [...locked]
    await tx.$queryRaw`
      SELECT 1 FROM api_keys WHERE id = ANY (${fresh}::bpchar[]) ORDER BY id FOR NO KEY UPDATE`
    for (const each of fresh) locked.add(each)
  }
}

/**
 * Revokes keys that the transaction has locked.
 *
 * @returns the ids of those that were not revoked before, oldest first.
 */
export async function revokeApiKeys(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const revokedAt = currentTime()
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH revoked AS (
      UPDATE api_keys SET revoked_at = ${revokedAt}, updated_at = ${revokedAt}
      WHERE id = ANY (${[...ids]}::bpchar[]) AND revoked_at IS NULL
      RETURNING id, created_at
    )
    SELECT id FROM revoked ORDER BY created_at, id`
  return rows.map(({ id }) => id)
}

/** A key that was created with another one, directly or indirectly. */
export interface DescendantKey {
  readonly id: string
  readonly name: string
  readonly parentKeyId: string
  readonly enabled: boolean
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

/**
 * Returns the keys that were created with a key, directly or indirectly, oldest first.
 *
 * @param ownerId - only the personal keys of this user. `undefined`: all.
 */
export const listDescendants = (
  client: Client,
  { id, ownerId, take }: { id: string; ownerId: string | undefined; take: number },
): Promise<DescendantKey[]> =>
  client.$queryRaw<DescendantKey[]>`
    WITH RECURSIVE descendants AS (
      SELECT id FROM api_keys WHERE parent_key_id = ${id}
      UNION SELECT k.id FROM api_keys k JOIN descendants d ON k.parent_key_id = d.id
    )
    SELECT id, name, parent_key_id AS "parentKeyId", enabled, expires_at AS "expiresAt", revoked_at AS "revokedAt"
    FROM api_keys JOIN descendants USING (id)
    WHERE ${ownerId ?? null}::uuid IS NULL OR (kind = 'personal' AND user_id = ${ownerId ?? null}::uuid)
    ORDER BY created_at, id LIMIT ${take}`
