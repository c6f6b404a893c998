import type { Client, Transaction } from '../database/database.ts'
import type { PutResult } from './users.ts'

/** A hosting account as the platform's directory provides it. */
export interface AccountEntry {
  readonly id: string
  readonly tenantId: string
  readonly name: string
}

/**
 * Creates or updates an account.
 *
 * @returns `undefined`, with nothing changed, if the account belongs to another organization.
 */
export async function putAccount(
  client: Client,
  entry: AccountEntry,
): Promise<PutResult | undefined> {
  const { id, tenantId, name } = entry
  const before = await client.account.findUnique({ where: { id } })
  if (before && before.tenantId !== tenantId) return undefined
  if (before?.name === name) return 'unchanged'
  // Another organization may have created the id since.
  const count = await client.$executeRaw`
    INSERT INTO accounts (id, tenant_id, name) VALUES (${id}::uuid, ${tenantId}::uuid, ${name})
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name WHERE accounts.tenant_id = EXCLUDED.tenant_id`
  if (count === 0) return undefined
  return before ? 'changed' : 'created'
}

/** Deletes an account and its assignments. Returns whether the account existed. */
export async function deleteAccount(client: Client, id: string): Promise<boolean> {
  return (await client.account.deleteMany({ where: { id } })).count > 0
}

/** Returns the ids that are accounts of the organization. */
export async function findAccountIds(
  client: Client,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = await client.account.findMany({
    where: { tenantId, id: { in: [...ids] } },
    select: { id: true },
  })
  return new Set(found.map(({ id }) => id))
}

/** The accounts of an organization or, with `userId`, those of them that are assigned to the user. */
interface AccountOwner {
  readonly tenantId: string
  /** `undefined` if the user can access every account. */
  readonly userId: string | undefined
}

/**
 * Returns those of the ids that are accounts of the organization and, with `userId`, assigned to the user. Until
 * the transaction ends, none of them is deleted: a deletion then finds the key that is limited to it.
 */
export async function lockAccounts(
  tx: Transaction,
  { tenantId, userId, ids }: AccountOwner & { readonly ids: readonly string[] },
): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT a.id::text FROM accounts a
    WHERE a.id = ANY (${[...ids]}::uuid[]) AND a.tenant_id = ${tenantId}::uuid
      AND (${userId ?? null}::uuid IS NULL OR EXISTS (
        SELECT FROM user_accounts ua WHERE ua.account_id = a.id AND ua.user_id = ${userId ?? null}::uuid
      ))
    ORDER BY a.id FOR KEY SHARE OF a`
  return new Set(rows.map(({ id }) => id))
}

/** The id and name of an account, for a list of choices. */
export interface AccountName {
  readonly id: string
  readonly name: string
}

/** Returns accounts of the organization by name. */
export const listAccountNames = (
  client: Client,
  { tenantId, userId, take }: AccountOwner & { readonly take: number },
): Promise<AccountName[]> =>
  client.account.findMany({
    where: { tenantId, ...(userId !== undefined && { users: { some: { userId } } }) },
    select: { id: true, name: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take,
  })

/** Returns the names of those of the ids that are accounts of the organization. */
export async function findAccountNames(
  client: Client,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await client.account.findMany({
    where: { tenantId, id: { in: [...ids] } },
    select: { id: true, name: true },
  })
  return new Map(found.map(({ id, name }) => [id, name]))
}
