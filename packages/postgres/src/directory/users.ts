import { currentTime } from '@hosting/core'
import type { Role } from '@hosting/core'
import type { Transaction } from '../database/database.ts'
import type { PutResult } from './tenants.ts'

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
  { id, tenantId, roles, ...entry }: UserEntry,
  accountIds: readonly string[],
): Promise<PutResult | undefined> {
  const before = await tx.user.findUnique({ where: { id } })
  if (before && (before.tenantId !== tenantId || before.kind !== 'human')) return undefined
  const data = { ...entry, roles: [...roles] }
  await tx.user.upsert({
    where: { id },
    create: { id, tenantId, ...data },
    update: { ...data, deletedAt: null, updatedAt: currentTime() },
  })
  await tx.userAccount.deleteMany({ where: { userId: id } })
  await tx.userAccount.createMany({
    data: accountIds.map((accountId) => ({ userId: id, accountId })),
  })
  return before && !before.deletedAt ? 'changed' : 'made'
}

/**
 * Deletes a person except for a tombstone that keys and the audit log can refer to. It has no email
 * address, password, roles, accounts, factors, notices or sessions. Its keys are revoked.
 *
 * @returns whether the person existed.
 */
export async function deleteUser(tx: Transaction, id: string): Promise<boolean> {
  const deletedAt = currentTime()
  const { count } = await tx.user.updateMany({
    where: { id, kind: 'human', deletedAt: null },
    data: {
      deletedAt,
      updatedAt: deletedAt,
      status: 'deactivated',
      email: null,
      passwordHash: null,
      roles: [],
    },
  })
  if (count === 0) return false
  const ofUser = { where: { userId: id } }
  // Permanently: a user created again with this id starts without keys.
  await tx.apiKey.updateMany({
    where: { userId: id, revokedAt: null },
    data: { revokedAt: deletedAt, updatedAt: deletedAt },
  })
  await tx.userAccount.deleteMany(ofUser)
  await tx.totpFactor.deleteMany(ofUser)
  await tx.recoveryCode.deleteMany(ofUser)
  await tx.notice.deleteMany(ofUser)
  await tx.notificationSettings.deleteMany(ofUser)
  await tx.firstSignIn.deleteMany(ofUser)
  await tx.panelSession.deleteMany({ where: { OR: [{ userId: id }, { impersonatorId: id }] } })
  return true
}
