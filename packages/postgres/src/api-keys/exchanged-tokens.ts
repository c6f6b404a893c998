import { createUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import type { WorkloadKey } from './workload-keys.ts'

const { bytes, float, int, notNull, nullable, time, uuid } = types

/**
 * Notes that an identity token is exchanged, by its fingerprint.
 *
 * @param expiresAt - until when a replay is possible.
 */
export async function useIdentityToken(
  tx: Transaction,
  { fingerprint, expiresAt }: { fingerprint: Uint8Array; expiresAt: Date },
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO used_identity_tokens (fingerprint, expires_at) VALUES (${fingerprint}, ${expiresAt})
    ON CONFLICT DO NOTHING`
}

/** Whether an identity token was exchanged before. */
export async function isIdentityTokenUsed(
  client: Client,
  fingerprint: Uint8Array,
): Promise<boolean> {
  const found = await client.usedIdentityToken.count({
    where: { fingerprint: Uint8Array.from(fingerprint) },
  })
  return found > 0
}

/**
 * How long a key that the transaction has locked has its most unexpired tokens, by the database's clock.
 *
 * @returns ms. 0 if it can have another one.
 */
export async function readTokenWait(tx: Transaction, id: string, liveMax: number): Promise<number> {
  const [full] = await runIn(tx, waitStatement, { id, others: liveMax - 1 })
  return Math.max(full?.waitMs ?? 0, 0)
}

/**
 * Adds the secret of an exchanged token to a key that the transaction has locked.
 *
 * @returns the lifetime of the token in seconds.
 */
export async function addTokenSecret(
  tx: Transaction,
  { id, tokenLifetimeSeconds, expiresAt }: WorkloadKey,
  hash: Uint8Array,
): Promise<number> {
  const [secret] = await runIn(tx, addStatement, {
    secretId: createUuidv7(),
    id,
    hash: Buffer.from(hash),
    tokenLifetimeSeconds,
    expiresAt,
  })
  return secret!.lifetimeSeconds
}

/** Returns how long to wait until a key has fewer unexpired tokens. None: it has fewer. */
const waitStatement = defineStatement({
  name: 'find-token-wait',
  takes: { id: types.keyId, others: int },
  gives: { waitMs: notNull(float, 'part of the condition') },
  sql: `
    SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS wait_ms
    FROM api_key_secrets WHERE key_id = :id AND expires_at > clock_timestamp()
    ORDER BY expires_at DESC OFFSET :others LIMIT 1`,
})

/** Adds a secret, which expires with the key at the latest, and gives its lifetime. */
const addStatement = defineStatement({
  name: 'add-token-secret',
  takes: {
    secretId: uuid,
    id: types.keyId,
    hash: bytes,
    tokenLifetimeSeconds: int,
    /** When the key expires. */
    expiresAt: nullable(time),
  },
  gives: { lifetimeSeconds: notNull(int, 'of a time that is not null') },
  sql: `
    INSERT INTO api_key_secrets (id, key_id, hash, expires_at)
    VALUES (:secretId, :id, :hash,
      least(clock_timestamp() + :tokenLifetimeSeconds * interval '1 second', :expiresAt))
    RETURNING round(extract(epoch FROM expires_at - clock_timestamp()))::int AS lifetime_seconds`,
})

/** Ends all tokens of a key that the transaction has locked. */
export async function endTokens(tx: Transaction, keyId: string): Promise<void> {
  await tx.apiKeySecret.deleteMany({ where: { keyId } })
}

/** Ends a token of a key that the transaction has locked. */
export async function endToken(tx: Transaction, secretId: string): Promise<void> {
  await tx.apiKeySecret.delete({ where: { id: secretId } })
}

/**
 * Deletes identity tokens that would be refused as expired, after a margin for exchanges that wait and for clocks that
 * differ. Returns their number.
 */
export const dropExpiredIdentityTokens = defineDeletion({
  name: 'delete-expired-identity-tokens',
  table: 'used_identity_tokens',
  where: `expires_at < now() - interval '5 minutes'`,
})
