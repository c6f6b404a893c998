import { currentTime } from '@hosting/core/clock'
import type { Client, Transaction } from '../database/database.ts'
import { consequencesOf, type Consequence, type PutOutcome } from './put-outcome.ts'
import { erasePeople } from './users.ts'
import { deleteEndpointsOf } from '../webhooks/endpoints.ts'

/** An organization as the platform's directory provides it. */
export interface TenantEntry {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly edition: string
}

/** Creates or updates an organization. A deleted organization is created again. */
export async function putTenant(tx: Transaction, entry: TenantEntry): Promise<PutOutcome> {
  const where = { id: entry.id }
  // Without a lock if there is nothing to change: platforms repeat their records.
  const seen = changesOf(entry, await tx.tenant.findUnique({ where }))
  if (seen.result === 'unchanged') return seen
  await lockCallersOf(tx, entry.id)
  await lockTenant(tx, entry.id)
  const before = await tx.tenant.findUnique({ where })
  const outcome = changesOf(entry, before)
  if (outcome.result === 'unchanged') return outcome
  if (before) await tx.tenant.update({ where, data: { ...entry, deletedAt: null } })
  // Another transaction may have created the organization since.
  else if (!(await insertTenant(tx, entry))) return putTenant(tx, entry)
  return outcome
}

/** Creates an organization. Returns whether the id was free. */
async function insertTenant(
  tx: Transaction,
  { id, slug, name, edition }: TenantEntry,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO tenants (id, slug, name, edition) VALUES (${id}::uuid, ${slug}, ${name}, ${edition})
    ON CONFLICT (id) DO NOTHING`
  return count > 0
}

const fieldsOfTenant = ['slug', 'name', 'edition'] as const

function changesOf(
  entry: TenantEntry,
  before: (TenantEntry & { readonly deletedAt: Date | null }) | null,
): PutOutcome {
  if (!before || before.deletedAt) return { result: 'created', fields: [] }
  const fields = fieldsOfTenant.filter((field) => before[field] !== entry[field])
  if (fields.length === 0) return { result: 'unchanged', fields }
  const { slug, name, edition } = before
  return { result: 'changed', fields, before: { slug, name, edition } }
}

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
 * @returns what that caused; `undefined` if there was no such organization.
 */
export async function deleteTenant(
  tx: Transaction,
  id: string,
): Promise<Consequence[] | undefined> {
  await lockCallersOf(tx, id)
  const deletedAt = currentTime()
  const { count } = await tx.tenant.updateMany({
    where: { id, deletedAt: null },
    data: { deletedAt },
  })
  const keys = await tx.apiKey.updateManyAndReturn({
    where: { tenantId: id, revokedAt: null },
    data: { revokedAt: deletedAt, updatedAt: deletedAt },
    select: { id: true },
  })
  const { people, sessions } = await erasePeople(tx, { tenantId: id }, deletedAt)
  const accounts = await tx.$queryRaw<{ id: string }[]>`
    DELETE FROM accounts WHERE tenant_id = ${id}::uuid RETURNING id::text`
  const endpoints = await deleteEndpointsOf(tx, id)
  if (count === 0) return undefined
  return [
    ...consequencesOf('api_key.revoke', 'api_key', keys),
    ...sessions,
    ...consequencesOf('user.delete', 'user', people),
    ...consequencesOf('account.delete', 'account', accounts),
    ...consequencesOf('webhook.delete', 'webhook', endpoints),
  ]
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
