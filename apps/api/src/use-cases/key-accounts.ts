import { keyAccountsMax } from '@hosting/core/api-keys'
import { validationFailed, type FieldError } from '@hosting/core/problems'
import { reachesAllAccounts, type Role } from '@hosting/core/scopes'
import { type Transaction } from '@hosting/postgres/database'
import {
  findAccountNames,
  listAccountNames,
  lockAccounts,
  type AccountName,
} from '@hosting/postgres/directory'
import type { Caller } from '../http/caller.ts'
import type { Services } from '../services.ts'

/** The user that a key acts as. */
export interface KeyUser {
  readonly id: string
  readonly tenantId: string
  readonly roles: readonly Role[]
}

/**
 * Reads the accounts that a key is limited to, and locks them so that none is deleted before the key is stored.
 *
 * @returns their ids; empty if the key is not limited.
 * @throws Problem `validation_failed` if one is repeated or beyond the user's reach.
 */
export async function readAccounts(
  tx: Transaction,
  { id: userId, tenantId, roles }: KeyUser,
  given: readonly string[] | null | undefined,
): Promise<string[]> {
  if (!given) return []
  const ids = given.map((id) => id.toLowerCase())
  const reachable = await lockAccounts(tx, {
    tenantId,
    userId: reachesAllAccounts(roles) ? undefined : userId,
    ids,
  })
  const errors = ids.flatMap((id, index): FieldError[] => {
    const pointer = `/accounts/${index}`
    if (ids.indexOf(id) < index) return [{ pointer, message: 'is listed twice' }]
    return reachable.has(id)
      ? []
      : [{ pointer, message: 'is not an account that the user of the key can access' }]
  })
  if (errors.length > 0) throw validationFailed(...errors)
  return ids
}

/** The service user of an organization key reaches every account. */
export const serviceRoles: readonly Role[] = ['admin']

/** Accounts to choose from. */
export interface AccountChoices {
  readonly accounts: readonly AccountName[]
  /** There are more accounts than these. */
  readonly isCut: boolean
}

/** Reads the accounts that a key of the user can be limited to, by name. */
export async function readAccountChoices(
  { database }: Services,
  { id, tenantId, roles }: KeyUser,
): Promise<AccountChoices> {
  const userId = reachesAllAccounts(roles) ? undefined : id
  const take = keyAccountsMax + 1
  const found = await listAccountNames(database.prisma, { tenantId, userId, take })
  return { accounts: found.slice(0, keyAccountsMax), isCut: found.length > keyAccountsMax }
}

/** The names of the accounts that a key is limited to, or their ids if they were deleted. */
export async function readAccountNames(
  { database }: Services,
  { tenant }: Pick<Caller, 'tenant'>,
  ids: readonly string[] | null,
): Promise<string[] | null> {
  if (!ids) return null
  const names = await findAccountNames(database.prisma, tenant.id, ids)
  return ids.map((id) => names.get(id) ?? id)
}
