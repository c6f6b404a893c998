import { reachesAllAccounts, validationFailed, type MemberFault, type Role } from '@hosting/core'
import { lockAccounts, type Transaction } from '@hosting/postgres'

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
  const faults = ids.flatMap((id, index): MemberFault[] => {
    const pointer = `/accounts/${index}`
    if (ids.indexOf(id) < index) return [{ pointer, message: 'is listed twice' }]
    return reachable.has(id)
      ? []
      : [{ pointer, message: 'is not an account that the user of the key can access' }]
  })
  if (faults.length > 0) throw validationFailed(...faults)
  return ids
}

/** The service user of an organization key reaches every account. */
export const serviceRoles: readonly Role[] = ['admin']
