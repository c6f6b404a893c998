import { currentTime } from '@hosting/core'
import { Prisma } from './generated/client.ts'
import type { Client, Transaction } from './database.ts'

/** All that deciding on a person's password and code takes. */
export interface SignInRecord {
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly kind: 'human' | 'service'
  }
  readonly tenant: { readonly id: string; readonly slug: string; readonly name: string }
  /** Whether it is an active person of a living organization. */
  readonly isActive: boolean
  /** Argon2id in PHC form. */
  readonly passwordHash: string | null
  /** The sealed seed of an active authenticator. */
  readonly sealedSeed: string | null
}

/** What an e-mail address leads to. */
export interface SignInLookup {
  readonly record: SignInRecord | undefined
  /** The address in the database's lower case, which is what is compared. */
  readonly loweredEmail: string
}

/** A person by e-mail address, without regard to case, in whatever state but deleted. */
export async function findSignInByEmail(client: Client, email: string): Promise<SignInLookup> {
  const [row] = await client.$queryRaw<(Partial<Row> & { loweredEmail: string })[]>`
    SELECT lower(${email}) AS "loweredEmail", found.*
    FROM (SELECT 1) one LEFT JOIN (
      ${signInColumns} WHERE lower(u.email) = lower(${email}) AND u.deleted_at IS NULL
    ) found ON true`
  const { loweredEmail, ...found } = row!
  return { loweredEmail, record: found.id ? toRecord(found as Row) : undefined }
}

/** A person by id, in whatever state. */
export async function findSignInById(
  client: Client,
  id: string,
): Promise<SignInRecord | undefined> {
  const [row] = await client.$queryRaw<Row[]>`${signInColumns} WHERE u.id = ${id}::uuid`
  return row && toRecord(row)
}

const signInColumns = Prisma.sql`
    SELECT u.id::text, u.name, u.email, u.kind::text AS kind, u.password_hash AS "passwordHash",
      u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS "isActive",
      t.id::text AS "tenantId", t.slug AS "tenantSlug", t.name AS "tenantName",
      (SELECT f.sealed_seed FROM totp_factors f WHERE f.user_id = u.id AND f.activated_at IS NOT NULL) AS "sealedSeed"
    FROM users u JOIN tenants t ON t.id = u.tenant_id`

function toRecord(row: Row): SignInRecord {
  const { id, name, email, kind, tenantId, tenantSlug, tenantName, ...rest } = row
  return {
    ...rest,
    user: { id, name, email, kind },
    tenant: { id: tenantId, slug: tenantSlug, name: tenantName },
  }
}

interface Row extends Omit<SignInRecord, 'user' | 'tenant'> {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly kind: 'human' | 'service'
  readonly tenantId: string
  readonly tenantSlug: string
  readonly tenantName: string
}

/**
 * Whether the password that was verified still is the person's, who may be signed in. Neither changes until
 * the transaction ends: a change of the password then finds the session that is made meanwhile, and ends it.
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

/** Gives a person a new password, as argon2id in PHC form. */
export async function setPassword(
  client: Client,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await client.user.update({
    where: { id: userId },
    data: { passwordHash, updatedAt: currentTime() },
  })
}
