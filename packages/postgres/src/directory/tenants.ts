import { currentTime } from '@hosting/core/clock'
import type { Client, Transaction } from '../database/database.ts'
import { erasePeople, type PutResult } from './users.ts'
import { deleteWebhookEndpointsOf } from '../webhooks/webhook-endpoints.ts'

/** An organization as the platform's directory provides it. */
export interface TenantEntry {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly edition: string
}

/** Creates or updates an organization. A deleted organization is created again. */
export async function putTenant(tx: Transaction, entry: TenantEntry): Promise<PutResult> {
  const where = { id: entry.id }
  if (isSame(entry, await tx.tenant.findUnique({ where }))) return 'unchanged'
  await lockCallersOf(tx, entry.id)
  const before = await tx.tenant.findUnique({ where })
  await tx.tenant.upsert({ where, create: entry, update: { ...entry, deletedAt: null } })
  return before && !before.deletedAt ? 'changed' : 'created'
}

const isSame = (
  { slug, name, edition }: TenantEntry,
  before: (TenantEntry & { readonly deletedAt: Date | null }) | null,
): boolean =>
  before !== null &&
  !before.deletedAt &&
  before.slug === slug &&
  before.name === name &&
  before.edition === edition

/** Whether the organization exists. */
export async function tenantExists(client: Client, id: string): Promise<boolean> {
  return (await client.tenant.count({ where: { id, deletedAt: null } })) > 0
}

/** Whether the organization exists. If it does, it is not deleted until the transaction ends. */
export async function holdTenant(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM tenants WHERE id = ${id}::uuid AND deleted_at IS NULL FOR SHARE`
  return rows.length > 0
}

/** Whether the organization exists or is deleted. */
export async function tenantEverExisted(client: Client, id: string): Promise<boolean> {
  return (await client.tenant.count({ where: { id } })) > 0
}

/**
 * Deletes an organization except for a tombstone, and with it its accounts and people ({@link erasePeople}). Its
 * endpoints are marked as deleted, without their secrets, and its keys are revoked.
 *
 * @returns whether the organization existed.
 */
export async function deleteTenant(tx: Transaction, id: string): Promise<boolean> {
  await lockCallersOf(tx, id)
  const deletedAt = currentTime()
  const { count } = await tx.tenant.updateMany({
    where: { id, deletedAt: null },
    data: { deletedAt },
  })
  await tx.apiKey.updateMany({
    where: { tenantId: id, revokedAt: null },
    data: { revokedAt: deletedAt, updatedAt: deletedAt },
  })
  await erasePeople(tx, { tenantId: id }, deletedAt)
  await tx.account.deleteMany({ where: { tenantId: id } })
  await deleteWebhookEndpointsOf(tx, id)
  return count > 0
}

/** To avoid deadlocks, locks the rows that callers lock before the organization's row, in their order (caller-locks.ts). */
async function lockCallersOf(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM users WHERE tenant_id = ${id}::uuid ORDER BY id FOR NO KEY UPDATE`
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
