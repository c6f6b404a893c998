import { currentTime } from '@hosting/core/clock'
import type { Role } from '@hosting/core/scopes'
import type { Transaction } from '../database/database.ts'
import { endUnusedSignIns } from '../sessions/sign-in-links.ts'

/** What a PUT did to a record of the directory. */
export type PutResult = 'created' | 'changed' | 'unchanged'

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
): Promise<PutResult | undefined> {
  const { id, tenantId } = entry
  const before = await tx.user.findUnique({ where: { id }, include: { accounts: true } })
  if (before && (before.tenantId !== tenantId || before.kind !== 'human')) return undefined
  const assigned = new Set(before?.accounts.map(({ accountId }) => accountId))
  const wanted = new Set(accountIds)
  if (before && isSame(entry, before) && isSameSet(assigned, wanted)) return 'unchanged'
  if (!(await writeUser(tx, entry))) return undefined
  await tx.userAccount.deleteMany({ where: { userId: id, accountId: { notIn: [...accountIds] } } })
  await tx.userAccount.createMany({
    data: accountIds.map((accountId) => ({ userId: id, accountId })),
    skipDuplicates: true,
  })
  return before && !before.deletedAt ? 'changed' : 'created'
}

/** Writes a person, unless the id belongs to another organization or to a service user. Returns whether it did. */
async function writeUser(tx: Transaction, entry: UserEntry): Promise<boolean> {
  const { id, tenantId, email, name, status, roles, passwordHash = null } = entry
  const count = await tx.$executeRaw`
    INSERT INTO users AS u (id, tenant_id, email, name, status, roles, password_hash)
    VALUES (${id}::uuid, ${tenantId}::uuid, ${email}, ${name}, ${status}::user_status,
      ${roles}::text[]::role[], ${passwordHash})
    ON CONFLICT (id) DO UPDATE
    SET email = EXCLUDED.email, name = EXCLUDED.name, status = EXCLUDED.status, roles = EXCLUDED.roles,
      password_hash = COALESCE(EXCLUDED.password_hash, u.password_hash), deleted_at = NULL
    WHERE u.tenant_id = EXCLUDED.tenant_id AND u.kind = 'human'`
  return count > 0
}

type UserRow = Omit<UserEntry, 'email' | 'passwordHash'> & {
  readonly email: string | null
  readonly deletedAt: Date | null
}

const isSame = (entry: UserEntry, before: UserRow): boolean =>
  !before.deletedAt &&
  entry.passwordHash === undefined &&
  before.email === entry.email &&
  before.name === entry.name &&
  before.status === entry.status &&
  isSameSet(new Set(before.roles), new Set(entry.roles))

const isSameSet = <T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean =>
  one.size === other.size && [...one].every((value) => other.has(value))

/**
 * Deletes a person except for a tombstone ({@link erasePeople}) and revokes its keys.
 *
 * @returns whether the person existed.
 */
export async function deleteUser(tx: Transaction, id: string): Promise<boolean> {
  const deletedAt = currentTime()
  if ((await erasePeople(tx, { id }, deletedAt)) === 0) return false
  // Permanently: a user created again with this id starts without keys.
  await tx.apiKey.updateMany({
    where: { userId: id, revokedAt: null },
    data: { revokedAt: deletedAt, updatedAt: deletedAt },
  })
  return true
}

/**
 * Leaves of a person, or of all people of an organization, only tombstones: ids and names, to which keys and the
 * audit log refer. They have no email address, password, roles, accounts, factors, notices, sessions or valid sign-in
 * links.
 *
 * @returns the number of people.
 */
export async function erasePeople(
  tx: Transaction,
  whose: { readonly id: string } | { readonly tenantId: string },
  deletedAt: Date,
): Promise<number> {
  const { count } = await tx.user.updateMany({
    where: { ...whose, kind: 'human', deletedAt: null },
    data: { deletedAt, status: 'deactivated', email: null, passwordHash: null, roles: [] },
  })
  if (count === 0) return 0
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
  await tx.panelSession.deleteMany({
    where: { OR: [ofPeople.where, { impersonator: ofPeople.where.user }] },
  })
  return count
}
