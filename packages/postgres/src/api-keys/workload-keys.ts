import { createUuidv7 } from '@hosting/core/ids'
import {
  newSubjectNoticesMax,
  subjectsKeptDays,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import { createHash } from 'node:crypto'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Database, Transaction } from '../database/database.ts'
import { defineDeletion, type DeletionOptions } from '../database/deletion.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { bool, bytes, float, int, jsonb, listOf, notNull, nullable, text, time, uuid } = types

/** What a workload key exchanges for its tokens. */
export interface NewWorkloadIdentity {
  readonly issuer: string
  readonly conditions: WorkloadConditions
  readonly tokenLifetimeSeconds: number
}

/** What a workload key exchanges for its tokens, as its table stores it. */
export const toWorkloadData = ({ conditions, ...identity }: NewWorkloadIdentity) => ({
  ...identity,
  conditions: toJson(conditions),
})

const toJson = (conditions: WorkloadConditions) => conditions as Record<string, string | string[]>

/** The members of a workload identity that can change. */
export type WorkloadIdentityChange = Partial<Omit<NewWorkloadIdentity, 'issuer'>>

/** Changes what a key exchanges for its tokens. The transaction has locked the key. */
export async function updateWorkloadIdentity(
  tx: Transaction,
  keyId: string,
  { conditions, tokenLifetimeSeconds }: WorkloadIdentityChange,
): Promise<void> {
  await tx.workloadIdentity.update({
    where: { keyId },
    data: {
      ...(tokenLifetimeSeconds !== undefined && { tokenLifetimeSeconds }),
      ...(conditions && { conditions: toJson(conditions) }),
    },
  })
}

/** A workload key with what decides about its exchanges. */
export interface WorkloadKey extends NewWorkloadIdentity {
  readonly id: string
  readonly tenantId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date | null
  readonly serviceUser: { readonly id: string; readonly name: string }
  /** Whether the key is valid now. */
  readonly usable: boolean
}

/** Finds a workload key of any organization, in any state. */
export async function findWorkloadKey(
  client: Client,
  id: string,
): Promise<WorkloadKey | undefined> {
  const [row] = await runIn(client, findStatement, { id })
  return row && toWorkloadKey(row)
}

/** Locks a workload key until the transaction ends, and returns it. */
export async function lockWorkloadKey(
  tx: Transaction,
  id: string,
): Promise<WorkloadKey | undefined> {
  await tx.$queryRaw`SELECT 1 FROM api_keys WHERE id = ${id}::bpchar FOR NO KEY UPDATE`
  return findWorkloadKey(tx, id)
}

/** Gives a workload key with its person and whether it is usable. It locks nothing. */
const findStatement = defineStatement({
  name: 'find-workload-key',
  takes: { id: types.keyId },
  gives: {
    id: types.keyId,
    tenantId: uuid,
    scopes: notNull(listOf(text), 'every key has scopes'),
    expiresAt: nullable(time),
    userId: uuid,
    userName: text,
    issuer: text,
    conditions: jsonb<WorkloadConditions>(),
    tokenLifetimeSeconds: int,
    usable: notNull(bool, 'of columns that are never null, and IS NULL'),
  },
  sql: `
    SELECT k.id, k.tenant_id, k.scopes, k.expires_at, u.id AS user_id, u.name AS user_name,
      w.issuer, w.conditions, w.token_lifetime_seconds,
      k.enabled AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS usable
    FROM workload_identities w
      JOIN api_keys k ON k.id = w.key_id JOIN users u ON u.id = k.user_id JOIN tenants t ON t.id = k.tenant_id
    WHERE w.key_id = :id`,
})

const toWorkloadKey = ({
  userId,
  userName,
  ...key
}: RowOf<typeof findStatement.gives>): WorkloadKey => ({
  ...key,
  serviceUser: { id: userId, name: userName },
})

/**
 * Notes that an identity token is exchanged.
 *
 * @param expiresAt - until when a replay is possible.
 * @returns whether it was not exchanged before.
 */
export async function useIdentityToken(
  tx: Transaction,
  { fingerprint, expiresAt }: { fingerprint: Uint8Array; expiresAt: Date },
): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO used_identity_tokens (fingerprint, expires_at) VALUES (${fingerprint}, ${expiresAt})
    ON CONFLICT DO NOTHING`
  return count === 1
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
 * Adds the secret of an exchanged token to a key that the transaction has locked.
 *
 * @param limit - `liveMax`: the most unexpired tokens of a key.
 * @returns the expiry of the token by the database's clock, or how long to wait in ms if the key has its most tokens.
 */
export async function addTokenSecret(
  tx: Transaction,
  { id, tokenLifetimeSeconds, expiresAt }: WorkloadKey,
  { hash, liveMax }: { hash: Uint8Array; liveMax: number },
): Promise<{ expiresAt: Date; lifetimeSeconds: number } | { waitMs: number }> {
  const [full] = await runIn(tx, waitStatement, { id, others: liveMax - 1 })
  if (full) return full
  const [secret] = await runIn(tx, addStatement, {
    secretId: createUuidv7(),
    id,
    hash: Buffer.from(hash),
    tokenLifetimeSeconds,
    expiresAt,
  })
  return secret!
}

/** Gives how long to wait until a key has fewer unexpired tokens. None: it has fewer. */
const waitStatement = defineStatement({
  name: 'find-token-wait',
  takes: { id: types.keyId, others: int },
  gives: { waitMs: notNull(float, 'part of the condition') },
  sql: `
    SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS wait_ms
    FROM api_key_secrets WHERE key_id = :id AND expires_at > clock_timestamp()
    ORDER BY expires_at DESC OFFSET :others LIMIT 1`,
})

/** Adds a secret, which expires with the key at the latest, and gives its expiry. */
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
  gives: {
    expiresAt: notNull(time, 'set by the statement'),
    lifetimeSeconds: notNull(int, 'of a time that is not null'),
  },
  sql: `
    INSERT INTO api_key_secrets (id, key_id, hash, expires_at)
    VALUES (:secretId, :id, :hash,
      least(clock_timestamp() + :tokenLifetimeSeconds * interval '1 second', :expiresAt))
    RETURNING expires_at, round(extract(epoch FROM expires_at - clock_timestamp()))::int AS lifetime_seconds`,
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
export const dropExpiredIdentityTokens = (
  database: Database,
  options?: DeletionOptions,
): Promise<number> => deleteExpiredTokens(database, {}, options)

/** Deletes identity tokens that expired five minutes ago. */
const deleteExpiredTokens = defineDeletion({
  name: 'delete-expired-identity-tokens',
  table: 'used_identity_tokens',
  takes: {},
  where: `expires_at < now() - interval '5 minutes'`,
})

/** The subject of an exchange. */
export interface ExchangedSubject {
  readonly issuer: string
  readonly subject: string
  readonly ip: string
}

/**
 * Notes the subject of an exchange of a key that the transaction has locked. Notifies the organization's admins if the
 * subject is new, but of at most {@link newSubjectNoticesMax} subjects in
 * 24 hours.
 */
export async function noteSubject(
  tx: Transaction,
  keyId: string,
  { issuer, subject, ip }: ExchangedSubject,
): Promise<void> {
  const hash = createHash('sha256').update(subject).digest()
  const details = { issuer, subject: subject.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd'), ip }
  await tx.$executeRaw`
    WITH seen AS (
      INSERT INTO workload_subjects AS s (key_id, subject_hash, first_exchanged_at, last_exchanged_at)
      VALUES (${keyId}::bpchar, ${hash}, statement_timestamp(), statement_timestamp())
      ON CONFLICT (key_id, subject_hash) DO UPDATE SET last_exchanged_at = excluded.last_exchanged_at
        WHERE s.last_exchanged_at < excluded.last_exchanged_at - interval '1 day'
      RETURNING first_exchanged_at, first_exchanged_at = last_exchanged_at AS is_new
    )
    SELECT write_notice(notice_recipients('api_key.new_subject', k.tenant_id, NULL), notice_of('api_key.new_subject',
      concat_ws(' ', k.id, ${hash.toString('hex')}::text, extract(epoch FROM seen.first_exchanged_at)),
      'api_key', k.id, k.name, ${JSON.stringify(details)}::jsonb))
    FROM seen JOIN api_keys k ON k.id = ${keyId}::bpchar
    WHERE seen.is_new AND ${newSubjectNoticesMax} > (
      SELECT count(*) FROM workload_subjects s
      WHERE s.key_id = ${keyId}::bpchar AND s.first_exchanged_at > statement_timestamp() - interval '1 day')`
}

/** Deletes subjects that count as new again. Returns their number. */
export const dropOldSubjects = (database: Database, options?: DeletionOptions): Promise<number> =>
  deleteOldSubjects(database, { days: subjectsKeptDays }, options)

/** Deletes subjects whose last exchange was some days ago. */
const deleteOldSubjects = defineDeletion({
  name: 'delete-old-workload-subjects',
  table: 'workload_subjects',
  takes: { days: int },
  where: 'last_exchanged_at < now() - make_interval(days => :days)',
})
