import { currentTime } from '@hosting/core/clock'
import { types } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { nullable, text } = types

/** An audience that the creator of a workload key has chosen. */
export interface ChosenAudience {
  readonly audience: string
  readonly issuer: string
}

/**
 * Lets a chosen audience lead to a new key. The primary key decides between concurrent calls.
 *
 * @returns whether it does. If not, it leads to another key that is neither revoked nor expired.
 */
export async function takeAudience(
  tx: Transaction,
  keyId: string,
  { audience, issuer }: ChosenAudience,
): Promise<boolean> {
  const taken = await runIn(tx, takeStatement, { audience, issuer, keyId })
  return taken.length === 1
}

/**
 * Adds an audience, or lets the one of a key that is revoked or has expired lead to another key. Gives no row if it leads
 * to another one. A key that was committed meanwhile is not seen, and keeps its audience.
 */
const takeStatement = defineStatement({
  name: 'take-workload-audience',
  takes: { audience: text, issuer: text, keyId: types.keyId },
  gives: { keyId: types.keyId },
  sql: `
    INSERT INTO workload_audiences AS a (audience, issuer, key_id) VALUES (:audience, :issuer, :keyId)
    ON CONFLICT (audience, issuer) DO UPDATE SET key_id = excluded.key_id
      WHERE EXISTS (SELECT FROM api_keys k
        WHERE k.id = a.key_id AND (k.revoked_at IS NOT NULL OR k.expires_at <= clock_timestamp()))
    RETURNING key_id`,
})

/** Whether an audience that contains the id of a key leads to that key, which is neither revoked nor expired. */
export async function isAudienceOfKey(
  tx: Transaction,
  { keyId, issuer }: { keyId: string; issuer: string },
): Promise<boolean> {
  const isLive = { OR: [{ expiresAt: null }, { expiresAt: { gt: currentTime() } }] }
  const workload = { issuer, audience: null }
  return (await tx.apiKey.count({ where: { id: keyId, revokedAt: null, ...isLive, workload } })) > 0
}

/** The audience and the issuer of an identity token. */
export interface NamedAudience extends ChosenAudience {
  /** The id in the audience, if it is one that contains the id of a key. */
  readonly keyId: string | null
}

/**
 * Finds the workload key that an identity token names, in any state: by its audience and its issuer. If no key of the
 * issuer has the audience, it is the only key that does.
 */
export async function findKeyOfAudience(
  client: Client,
  named: NamedAudience,
): Promise<string | undefined> {
  const [found] = await runIn(client, findStatement, named)
  return found?.keyId ?? undefined
}

/** Returns the key of an audience: one that chose it, of this issuer; one whose id it contains; the only one that chose it. */
const findStatement = defineStatement({
  name: 'find-key-of-audience',
  takes: { audience: text, issuer: text, keyId: nullable(types.keyId) },
  gives: { keyId: nullable(types.keyId) },
  sql: `
    SELECT key_id FROM (
      SELECT key_id, 1 AS position FROM workload_audiences WHERE audience = :audience AND issuer = :issuer
      UNION ALL SELECT key_id, 2 FROM workload_identities WHERE key_id = :keyId AND audience IS NULL
      UNION ALL SELECT min(key_id), 3 FROM (
        SELECT key_id FROM workload_audiences WHERE audience = :audience LIMIT 2) holders HAVING count(*) = 1
    ) found ORDER BY position LIMIT 1`,
})
