import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { Prisma } from '../generated/client.ts'

const { bytes, listOf, named, notNull, nullable, text, time, uuid } = types

/** The fields of a new sign-in link. */
export interface NewSignInLink {
  readonly id: string
  readonly userId: string
  readonly tokenHash: Uint8Array
  readonly returnTo: string
  readonly isConfirmed: boolean
  readonly lifetimeMs: number
}

/** Stores a sign-in link. Returns when it expires, by the database's clock. */
export async function insertSignInLink(
  tx: Transaction,
  { id, userId, tokenHash, returnTo, isConfirmed, lifetimeMs }: NewSignInLink,
): Promise<Date> {
  const [row] = await tx.$queryRaw<{ expiresAt: Date }[]>`
    INSERT INTO sign_in_links (id, user_id, token_hash, return_to, confirmed, created_at, expires_at)
    SELECT ${id}::uuid, ${userId}::uuid, ${Uint8Array.from(tokenHash)}, ${returnTo}, ${isConfirmed}, at,
      at + ${lifetimeMs} * interval '1 ms'
    FROM clock_timestamp() at
    RETURNING expires_at AS "expiresAt"`
  return row!.expiresAt
}

const recordTypes = {
  userId: uuid,
  returnTo: text,
  /** When the platform confirmed the person's identity; null if it did not. */
  confirmedAt: nullable(time),
  state: notNull(named<'valid' | 'used' | 'expired'>('text'), 'has an ELSE'),
}

/** A sign-in link in any state. */
export type SignInLinkRecord = RowOf<typeof recordTypes>

/** Finds the sign-in link with one of these hashes. */
export async function findSignInLink(
  client: Client,
  id: string,
  tokenHashes: readonly Uint8Array[],
): Promise<SignInLinkRecord | undefined> {
  const hashes = tokenHashes.map((hash) => Buffer.from(hash))
  return (await runIn(client, findStatement, { id, hashes }))[0]
}

/** Returns a link with its state. Locks nothing. */
const findStatement = defineStatement({
  name: 'find-sign-in-link',
  takes: { id: uuid, hashes: listOf(bytes) },
  gives: recordTypes,
  sql: `
    SELECT user_id, return_to, CASE WHEN confirmed THEN created_at END AS confirmed_at,
      CASE WHEN used_at IS NOT NULL THEN 'used' WHEN expires_at <= clock_timestamp() THEN 'expired' ELSE 'valid' END
        AS state
    FROM sign_in_links WHERE id = :id AND token_hash = ANY (:hashes)`,
})

/** Uses a sign-in link. Of several concurrent calls on any processes, only one returns true. */
export async function takeSignInLink(tx: Transaction, id: string): Promise<boolean> {
  const count = await tx.$executeRaw`
    UPDATE sign_in_links SET used_at = clock_timestamp()
    WHERE id = ${id}::uuid AND used_at IS NULL AND expires_at > clock_timestamp()`
  return count === 1
}

/**
 * Ends what can still become a session of a person, or of anyone in an organization: sign-in links that are not used,
 * and sign-ins whose code is missing. Whatever ends the sessions calls it.
 */
export async function endUnusedSignIns(
  tx: Transaction,
  of: { readonly userId: string } | { readonly tenantId: string },
): Promise<void> {
  const people =
    'userId' in of
      ? Prisma.sql`SELECT ${of.userId}::uuid`
      : Prisma.sql`SELECT id FROM users WHERE tenant_id = ${of.tenantId}::uuid`
  await tx.$executeRaw`
    UPDATE sign_in_links SET expires_at = clock_timestamp()
    WHERE user_id IN (${people}) AND used_at IS NULL AND expires_at > clock_timestamp()`
  await tx.$executeRaw`DELETE FROM pending_sign_ins WHERE user_id IN (${people})`
}

/** Deletes sign-in links that expired over a day ago. Returns their number. */
export const dropOldSignInLinks = defineDeletion({
  name: 'delete-old-sign-in-links',
  table: 'sign_in_links',
  where: `expires_at < now() - interval '1 day'`,
})
