import type { Client, Database, Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { findSignInById, type SignInRecord } from './sign-in-records.ts'

/** The fields of a new pending sign-in: the password was verified, and the code is missing. */
export interface NewPendingSignIn {
  readonly id: string
  readonly userId: string
  readonly tokenHash: Uint8Array
  /** The stored hash of the password that was verified. */
  readonly passwordHash: string
  readonly lifetimeMs: number
}

/** Stores a pending sign-in. Of the password, only a fingerprint of its stored hash is kept. */
export async function insertPendingSignIn(
  { prisma }: Database,
  { id, userId, tokenHash, passwordHash, lifetimeMs }: NewPendingSignIn,
): Promise<void> {
  await prisma.$executeRaw`
    INSERT INTO pending_sign_ins (id, user_id, token_hash, password_fingerprint, expires_at)
    VALUES (${id}::uuid, ${userId}::uuid, ${Uint8Array.from(tokenHash)},
      sha256(convert_to(${passwordHash}, 'UTF8')), clock_timestamp() + ${lifetimeMs} * interval '1 ms')`
}

/**
 * Finds the person of the pending sign-in with one of these hashes; `undefined` if it does not exist, has expired, or
 * the person's password has changed.
 */
export async function findPendingSignIn(
  client: Client,
  id: string,
  tokenHashes: readonly Uint8Array[],
): Promise<SignInRecord | undefined> {
  const [row] = await client.$queryRaw<{ userId: string }[]>`
    SELECT u.id::text AS "userId"
    FROM pending_sign_ins p JOIN users u ON u.id = p.user_id
    WHERE p.id = ${id}::uuid AND p.token_hash = ANY (${tokenHashes.map((hash) => Uint8Array.from(hash))})
      AND p.expires_at > clock_timestamp()
      AND p.password_fingerprint = sha256(convert_to(u.password_hash, 'UTF8'))`
  return row && findSignInById(client, row.userId)
}

/** Uses a pending sign-in. Of several concurrent calls on any processes, only one returns true. */
export async function takePendingSignIn(tx: Transaction, id: string): Promise<boolean> {
  const count = await tx.$executeRaw`
    DELETE FROM pending_sign_ins WHERE id = ${id}::uuid AND expires_at > clock_timestamp()`
  return count === 1
}

/** Deletes expired pending sign-ins. Returns their number. */
export const dropExpiredPendingSignIns = defineDeletion({
  name: 'delete-expired-pending-sign-ins',
  table: 'pending_sign_ins',
  where: 'expires_at < now()',
})
