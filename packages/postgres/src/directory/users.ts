import { currentTime } from '@hosting/core/clock'
import type { Role } from '@hosting/core/scopes'
import type { Transaction } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'
import { endUnusedSignIns } from '../sessions/sign-in-links.ts'
import { consequencesOf, type Consequence, type PutOutcome } from './put-outcome.ts'

/** A person as the platform's directory provides it. */
export interface UserEntry {
  readonly id: string
  readonly tenantId: string
  readonly email: string
  readonly name: string
  readonly status: 'active' | 'deactivated'
  readonly roles: readonly Role[]
  /** Argon2id in PHC form. If it is omitted, the password does not change. */
  readonly passwordHash?: string
}

/**
 * Creates or updates a person and the accounts assigned to it. A deleted person is created again.
 *
 * @returns `undefined`, with nothing changed, if the id belongs to another organization or to a service
 * user.
 */
export async function putUser(
  tx: Transaction,
  entry: UserEntry,
  accountIds: readonly string[],
): Promise<PutOutcome | undefined> {
  const { id, tenantId } = entry
  await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  const before = await tx.user.findUnique({ where: { id }, include: { accounts: true } })
  if (before && (before.tenantId !== tenantId || before.kind !== 'human')) return undefined
  // Another transaction may have created the person since.
  if (!before && !(await insertUser(tx, entry))) return putUser(tx, entry, accountIds)
  const fields = before ? changedFields(entry, before, accountIds) : []
  const isNew = !before || before.deletedAt !== null
  if (!isNew && fields.length === 0) return { result: 'unchanged', fields }
  if (before) await updateUser(tx, entry)
  await tx.userAccount.deleteMany({ where: { userId: id, accountId: { notIn: [...accountIds] } } })
  await tx.userAccount.createMany({
    data: accountIds.map((accountId) => ({ userId: id, accountId })),
    skipDuplicates: true,
  })
  if (isNew) return { result: 'created', fields: [] }
  const { name, status, roles } = before
  const accounts = before.accounts.map(({ accountId }) => accountId)
  return { result: 'changed', fields, before: { name, status, roles, accounts } }
}

/** Creates a person. Returns whether the id was free. */
async function insertUser(tx: Transaction, entry: UserEntry): Promise<boolean> {
  const { id, tenantId, email, name, status, roles, passwordHash = null } = entry
  const count = await tx.$executeRaw`
    INSERT INTO users (id, tenant_id, email, name, status, roles, password_hash)
    VALUES (${id}::uuid, ${tenantId}::uuid, ${email}, ${name}, ${status}::user_status,
      ${roles}::text[]::role[], ${passwordHash})
    ON CONFLICT (id) DO NOTHING`
  return count > 0
}

async function updateUser(
  tx: Transaction,
  { id, tenantId: _tenantId, roles, ...fields }: UserEntry,
): Promise<void> {
  await tx.user.update({ where: { id }, data: { ...fields, roles: [...roles], deletedAt: null } })
}

type UserRow = Omit<UserEntry, 'email' | 'passwordHash'> & {
  readonly email: string | null
  readonly accounts: readonly { readonly accountId: string }[]
}

/** The members of a person that the entry changes, by their names in the API. */
function changedFields(
  { email, name, status, roles, passwordHash }: UserEntry,
  before: UserRow,
  accountIds: readonly string[],
): string[] {
  const assigned = new Set(before.accounts.map(({ accountId }) => accountId))
  const isChanged = {
    email: before.email !== email,
    name: before.name !== name,
    status: before.status !== status,
    roles: !isSameSet(new Set(before.roles), new Set(roles)),
    accounts: !isSameSet(assigned, new Set(accountIds)),
    password: passwordHash !== undefined,
  }
  return Object.entries(isChanged).flatMap(([field, changed]) => (changed ? [field] : []))
}

const isSameSet = <T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean =>
  one.size === other.size && [...one].every((value) => other.has(value))

/**
 * Deletes a person except for a tombstone ({@link erasePeople}) and revokes its keys.
 *
 * @returns what that caused, with the organization; `undefined` if there was no such person.
 */
export async function deleteUser(
  tx: Transaction,
  id: string,
): Promise<{ tenantId: string; consequences: Consequence[] } | undefined> {
  const deletedAt = currentTime()
  const { people, sessions } = await erasePeople(tx, { id }, deletedAt)
  const [person] = people
  if (!person) return undefined
  // Permanently: a user created again with this id starts without keys.
  const keys = await tx.apiKey.updateManyAndReturn({
    where: { userId: id, revokedAt: null },
    data: { revokedAt: deletedAt, updatedAt: deletedAt },
    select: { id: true },
  })
  const { tenantId } = person
  const revoked = consequencesOf('api_key.revoke', 'api_key', keys)
  return { tenantId, consequences: [...revoked, ...sessions] }
}

/**
 * Erases a person, or all people of an organization. Their ids and names remain, because keys and the audit log refer to
 * them. They keep no email address, password, roles, accounts, factors, notices, sessions, saved filters or
 * valid sign-in links.
 *
 * @returns the people, and the ends of their sessions.
 */
export async function erasePeople(
  tx: Transaction,
  whose: { readonly id: string } | { readonly tenantId: string },
  deletedAt: Date,
): Promise<{ people: { id: string; tenantId: string }[]; sessions: Consequence[] }> {
  const people = await tx.user.updateManyAndReturn({
    where: { ...whose, kind: 'human', deletedAt: null },
    data: { deletedAt, status: 'deactivated', email: null, passwordHash: null, roles: [] },
    select: { id: true, tenantId: true },
  })
  if (people.length === 0) return { people, sessions: [] }
  const ofPeople = { where: { user: { ...whose, kind: 'human' as const } } }
  await tx.userAccount.deleteMany(ofPeople)
  await tx.totpFactor.deleteMany(ofPeople)
  await tx.recoveryCode.deleteMany(ofPeople)
  await tx.passkey.deleteMany(ofPeople)
  // By their people, because notices have no index of organizations.
  await ('id' in whose
    ? tx.notice.deleteMany({ where: { userId: whose.id } })
    : tx.$executeRaw`
        DELETE FROM notices
        WHERE user_id IN (SELECT id FROM users WHERE tenant_id = ${whose.tenantId}::uuid)`)
  await tx.notificationSettings.deleteMany(ofPeople)
  await tx.firstSignIn.deleteMany(ofPeople)
  await endUnusedSignIns(tx, 'id' in whose ? { userId: whose.id } : whose)
  await tx.formDraft.deleteMany(ofPeople)
  await tx.savedFilter.deleteMany(ofPeople)
  const ended = await tx.$queryRaw<{ id: string | null }[]>`
    DELETE FROM panel_sessions s USING users u
    WHERE u.id IN (s.user_id, s.impersonator_id) AND u.kind = 'human'
      AND ${'id' in whose ? Prisma.sql`u.id = ${whose.id}::uuid` : Prisma.sql`u.tenant_id = ${whose.tenantId}::uuid`}
    RETURNING CASE WHEN s.revoked_at IS NULL AND least(s.idle_expires_at, s.absolute_expires_at) > clock_timestamp()
      THEN s.id::text END AS id`
  return { people, sessions: consequencesOf('session.revoke', 'session', ended) }
}
