import type { Client, Transaction } from './database.ts'
import { deleteWebhookEndpointsOf } from './webhook-endpoints.ts'

/** An organization as the platform's directory gives it. */
export interface TenantEntry {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly edition: string
}

/** Whether a PUT made the record or changed it. */
export type PutResult = 'made' | 'changed'

/** Makes or changes an organization; one that was deleted is made anew. */
export async function putTenant(client: Client, entry: TenantEntry): Promise<PutResult> {
  const before = await client.tenant.findUnique({ where: { id: entry.id } })
  await client.tenant.upsert({
    where: { id: entry.id },
    create: entry,
    update: { ...entry, deletedAt: null },
  })
  return before && !before.deletedAt ? 'changed' : 'made'
}

/** Whether the organization exists. */
export async function tenantExists(client: Client, id: string): Promise<boolean> {
  return (await client.tenant.count({ where: { id, deletedAt: null } })) > 0
}

/**
 * Marks an organization deleted, and its endpoints with it, whose secrets are erased. Its keys and
 * sessions are revoked.
 *
 * @returns whether there was one.
 */
export async function deleteTenant(tx: Transaction, id: string): Promise<boolean> {
  const deletedAt = new Date()
  const { count } = await tx.tenant.updateMany({
    where: { id, deletedAt: null },
    data: { deletedAt },
  })
  await tx.apiKey.updateMany({
    where: { tenantId: id, revokedAt: null },
    data: { revokedAt: deletedAt },
  })
  await tx.panelSession.updateMany({
    where: { user: { tenantId: id }, revokedAt: null },
    data: { revokedAt: deletedAt },
  })
  await deleteWebhookEndpointsOf(tx, id)
  return count > 0
}

/** Locks the organization's row until the transaction ends, so that what counts its records is serial. */
export async function lockTenant(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM tenants WHERE id = ${id}::uuid FOR NO KEY UPDATE`
}
