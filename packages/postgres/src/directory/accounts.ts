import type { Client, Transaction } from '../database/database.ts'
import type { Consequence, PutOutcome } from './put-outcome.ts'

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
): Promise<PutOutcome | undefined> {
  const { id, tenantId, name } = entry
  await client.$queryRaw`SELECT 1 FROM accounts WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  const before = await client.account.findUnique({ where: { id } })
  if (before && before.tenantId !== tenantId) return undefined
  if (before?.name === name) return { result: 'unchanged', fields: [] }
  if (before) {
    await client.account.update({ where: { id }, data: { name } })
    return { result: 'changed', fields: ['name'], before: { name: before.name } }
  }
  const count = await client.$executeRaw`
    INSERT INTO accounts (id, tenant_id, name) VALUES (${id}::uuid, ${tenantId}::uuid, ${name})
    ON CONFLICT (id) DO NOTHING`
  // Another transaction may have created the account since.
  return count > 0 ? { result: 'created', fields: [] } : putAccount(client, entry)
}

/**
 * Deletes an account and its assignments.
 *
 * @returns the organization and the people who lost the account; `undefined` if there was no such account.
 */
export async function deleteAccount(
  tx: Transaction,
  id: string,
): Promise<{ tenantId: string; consequences: Consequence[] } | undefined> {
  // Until the transaction ends, nobody is assigned the account.
  const [account] = await tx.$queryRaw<{ tenantId: string }[]>`
    SELECT tenant_id::text AS "tenantId" FROM accounts WHERE id = ${id}::uuid FOR UPDATE`
  if (!account) return undefined
  const assigned = await tx.userAccount.findMany({
    where: { accountId: id },
    select: { userId: true },
    orderBy: { userId: 'asc' },
  })
  await tx.account.delete({ where: { id } })
  const consequences = assigned.map(({ userId }) => ({
    action: 'user.update' as const,
    target: { type: 'user', id: userId },
    fields: ['accounts'],
  }))
  return { ...account, consequences }
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
