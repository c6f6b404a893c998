import { currentTime } from '@hosting/core'
import type { Client } from './database.ts'
import type { PutResult } from './tenants.ts'

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
  const before = await client.account.findUnique({ where: { id: entry.id } })
  if (before && before.tenantId !== entry.tenantId) return undefined
  await client.account.upsert({
    where: { id: entry.id },
    create: entry,
    update: { name: entry.name, updatedAt: currentTime() },
  })
  return before ? 'changed' : 'made'
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
