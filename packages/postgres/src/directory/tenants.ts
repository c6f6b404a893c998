import { currentTime } from '@hosting/core'
import type { Client, Transaction } from '../database/database.ts'
import { deleteWebhookEndpointsOf } from '../webhooks/webhook-endpoints.ts'

/** An organization as the platform's directory provides it. */
export interface TenantEntry {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly edition: string
}

/** Whether a PUT created or changed the record. */
export type PutResult = 'made' | 'changed'

/** Creates or updates an organization. A deleted organization is created again. */
export async function putTenant(tx: Transaction, entry: TenantEntry): Promise<PutResult> {
  await lockCallersOf(tx, entry.id)
  const before = await tx.tenant.findUnique({ where: { id: entry.id } })
  await tx.tenant.upsert({
    where: { id: entry.id },
    create: entry,
    update: { ...entry, deletedAt: null, updatedAt: currentTime() },
  })
  return before && !before.deletedAt ? 'changed' : 'made'
}

/** Whether the organization exists. */
export async function tenantExists(client: Client, id: string): Promise<boolean> {
  return (await client.tenant.count({ where: { id, deletedAt: null } })) > 0
}

/**
 * Marks an organization and its endpoints as deleted, erases the endpoints' secrets, and revokes the
 * organization's keys and sessions.
 *
 * @returns whether the organization existed.
 */
export async function deleteTenant(tx: Transaction, id: string): Promise<boolean> {
  await lockCallersOf(tx, id)
  const deletedAt = currentTime()
  const { count } = await tx.tenant.updateMany({
    where: { id, deletedAt: null },
    data: { deletedAt, updatedAt: deletedAt },
  })
  await tx.apiKey.updateMany({
    where: { tenantId: id, revokedAt: null },
    data: { revokedAt: deletedAt, updatedAt: deletedAt },
  })
  await tx.panelSession.updateMany({
    where: { user: { tenantId: id }, revokedAt: null },
    data: { revokedAt: deletedAt },
  })
  await deleteWebhookEndpointsOf(tx, id)
  return count > 0
}

/** To avoid deadlocks, locks the rows that callers lock before the organization's row. */
async function lockCallersOf(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM api_keys WHERE tenant_id = ${id}::uuid ORDER BY id FOR NO KEY UPDATE`
  await tx.$queryRaw`
    SELECT 1 FROM panel_sessions s JOIN users u ON u.id = s.user_id
    WHERE u.tenant_id = ${id}::uuid AND s.revoked_at IS NULL ORDER BY s.id FOR NO KEY UPDATE OF s`
}

/**
 * Locks the organization's row until the transaction ends, which serializes code that counts its records.
 */
export async function lockTenant(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM tenants WHERE id = ${id}::uuid FOR NO KEY UPDATE`
}
