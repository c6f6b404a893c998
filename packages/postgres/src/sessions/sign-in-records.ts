import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import type { PersonRecord } from './acting-user.ts'

const { bool, named, notNull, nullable, text, uuid } = types

/** Everything needed to check a person's password and code. */
export interface SignInRecord extends PersonRecord {
  /** Whether the person is active and their organization is not deleted. */
  readonly isActive: boolean
  /** Argon2id in PHC form. */
  readonly passwordHash: string | null
  /** The encrypted seed of an active authenticator. */
  readonly encryptedSeed: string | null
}

/** The result of a lookup by email address. */
export interface SignInLookup {
  readonly record: SignInRecord | undefined
  /** The address as PostgreSQL lower-cases it, which is what comparisons use. */
  readonly loweredEmail: string
}

/** Finds a person by email address, case-insensitive, in any state except deleted. */
export async function findSignInByEmail(client: Client, email: string): Promise<SignInLookup> {
  const [lowered] = await runIn(client, lowerStatement, { email })
  const [row] = await runIn(client, findByEmailStatement, { email })
  return { loweredEmail: lowered!.email, record: row && toRecord(row) }
}

/** Finds a person by id, in any state. */
export async function findSignInById(
  client: Client,
  id: string,
): Promise<SignInRecord | undefined> {
  const [row] = await runIn(client, findByIdStatement, { id })
  return row && toRecord(row)
}

const recordTypes = {
  id: uuid,
  name: text,
  email: nullable(text),
  kind: notNull(named<'human' | 'service'>('text'), 'the column is never null'),
  passwordHash: nullable(text),
  isActive: notNull(bool, 'of columns that are never null'),
  tenantId: uuid,
  tenantSlug: text,
  tenantName: text,
  encryptedSeed: nullable(text),
}

const selectRecord = `
  SELECT u.id, u.name, u.email, u.kind::text AS kind, u.password_hash,
    u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS is_active,
    t.id AS tenant_id, t.slug AS tenant_slug, t.name AS tenant_name,
    (SELECT f.encrypted_seed FROM totp_factors f WHERE f.user_id = u.id AND f.activated_at IS NOT NULL) AS encrypted_seed
  FROM users u JOIN tenants t ON t.id = u.tenant_id`

/** Returns an address in lower case, as the index of addresses has it. */
const lowerStatement = defineStatement({
  name: 'lower-email',
  takes: { email: text },
  gives: { email: notNull(text, 'of a text that is not null') },
  sql: 'SELECT lower(:email) AS email',
})

/** Returns the record of a person by email address. Locks nothing. */
const findByEmailStatement = defineStatement({
  name: 'find-sign-in-by-email',
  takes: { email: text },
  gives: recordTypes,
  sql: `${selectRecord} WHERE lower(u.email) = lower(:email) AND u.deleted_at IS NULL`,
})

/** Returns the record of a person. Locks nothing. */
const findByIdStatement = defineStatement({
  name: 'find-sign-in-by-id',
  takes: { id: uuid },
  gives: recordTypes,
  sql: `${selectRecord} WHERE u.id = :id`,
})

function toRecord(row: RowOf<typeof recordTypes>): SignInRecord {
  const { id, name, email, kind, tenantId, tenantSlug, tenantName, ...rest } = row
  return {
    ...rest,
    user: { id, name, email, kind },
    tenant: { id: tenantId, slug: tenantSlug, name: tenantName },
  }
}

/**
 * Whether the verified password is still the person's current one, and the person may sign in. Neither
 * changes until the transaction ends: a later change of the password finds the new session and ends it.
 */
export async function holdPassword(
  tx: Transaction,
  userId: string,
  passwordHash: string,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM users
    WHERE id = ${userId}::uuid AND password_hash = ${passwordHash} AND status = 'active' AND deleted_at IS NULL
    FOR SHARE`
  return rows.length > 0
}

/**
 * Replaces the hash of a password by another hash of the same password.
 *
 * @returns whether the person still had it.
 */
export async function replacePasswordHash(
  client: Client,
  userId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const { count } = await client.user.updateMany({
    where: { id: userId, passwordHash: from },
    data: { passwordHash: to },
  })
  return count === 1
}

/** Whether the person has a password. Others sign in by a link or an identity provider. */
export async function hasPassword(client: Client, userId: string): Promise<boolean> {
  const count = await client.user.count({ where: { id: userId, passwordHash: { not: null } } })
  return count > 0
}

/** Sets the password of a person, as argon2id in PHC form. */
export async function setPassword(
  client: Client,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await client.user.update({ where: { id: userId }, data: { passwordHash } })
}

/**
 * Whether the user is an active person who may sign in. This does not change until the transaction ends: a later
 * deactivation finds the new session and ends it.
 */
export async function holdActivePerson(tx: Transaction, userId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM users
    WHERE id = ${userId}::uuid AND kind = 'human' AND status = 'active' AND deleted_at IS NULL
    FOR SHARE`
  return rows.length > 0
}

const personTypes = {
  tenantId: uuid,
  status: notNull(named<'active' | 'deactivated'>('text'), 'the column is never null'),
}

/** A person of the directory, for the platform's services. */
export type DirectoryPerson = RowOf<typeof personTypes>

/**
 * Finds a person who is not deleted, nor their organization. Service users are not found. The person does not change
 * until the transaction ends: a later change finds what the transaction creates for them.
 */
export async function holdPerson(
  tx: Transaction,
  id: string,
): Promise<DirectoryPerson | undefined> {
  return (await runIn(tx, holdStatement, { id }))[0]
}

/** Returns a person, and locks them in shared mode until the transaction ends. */
const holdStatement = defineStatement({
  name: 'hold-person',
  takes: { id: uuid },
  gives: personTypes,
  sql: `
    SELECT u.tenant_id, u.status::text AS status
    FROM users u JOIN tenants t ON t.id = u.tenant_id
    WHERE u.id = :id AND u.kind = 'human' AND u.deleted_at IS NULL AND t.deleted_at IS NULL
    FOR SHARE OF u`,
})
