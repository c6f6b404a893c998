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
import type { Caller } from '../access/caller.ts'
import type { Needs } from '../services.ts'

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
  return lockGivenAccounts(tx, given, {
    owner: { tenantId, userId: reachesAllAccounts(roles) ? undefined : userId },
    refusal: 'is not an account that the user of the key can access',
  })
}

/**
 * Reads the accounts of a body, and locks them so that none is deleted before the transaction ends.
 *
 * @param owner - an organization or, with `userId`, a user, whose accounts they must be.
 * @param refusal - what is wrong with another account.
 * @returns their ids in lower case; empty if none are given.
 * @throws Problem `validation_failed`
 */
export async function lockGivenAccounts(
  tx: Transaction,
  given: readonly string[] | null | undefined,
  {
    owner,
    refusal,
  }: {
    readonly owner: { readonly tenantId: string; readonly userId: string | undefined }
    readonly refusal: string
  },
): Promise<string[]> {
  if (!given) return []
  const ids = given.map((id) => id.toLowerCase())
  const reachable = await lockAccounts(tx, { ...owner, ids })
  const errors = ids.flatMap((id, index): FieldError[] => {
    const pointer = `/accounts/${index}`
    if (ids.indexOf(id) < index) return [{ pointer, message: 'is listed twice' }]
    return reachable.has(id) ? [] : [{ pointer, message: refusal }]
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
  { database }: Needs<'database'>,
  { id, tenantId, roles }: KeyUser,
): Promise<AccountChoices> {
  const userId = reachesAllAccounts(roles) ? undefined : id
  const take = keyAccountsMax + 1
  const found = await listAccountNames(database.prisma, { tenantId, userId, take })
  return { accounts: found.slice(0, keyAccountsMax), isCut: found.length > keyAccountsMax }
}

/** Reads the accounts that an endpoint of the organization can be limited to, by name. */
export const readEndpointAccountChoices = (
  services: Needs<'database'>,
  { tenant, user }: Pick<Caller, 'tenant' | 'user'>,
): Promise<AccountChoices> =>
  readAccountChoices(services, { id: user.id, tenantId: tenant.id, roles: serviceRoles })

/** The names of the accounts that a key or an endpoint is limited to, or their ids if they were deleted. */
export async function readAccountNames(
  { database }: Needs<'database'>,
  { tenant }: Pick<Caller, 'tenant'>,
  ids: readonly string[] | null,
): Promise<string[] | null> {
  if (!ids) return null
  const names = await findAccountNames(database.prisma, tenant.id, ids)
  return ids.map((id) => names.get(id) ?? id)
}
