import type { Approver, Role } from '@hosting/core'
import type { Transaction } from './database.ts'

/** The person who approves a device login, and the organization. */
export interface DeviceApprover extends Approver {
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly kind: 'human' | 'service'
  }
  readonly tenant: { readonly id: string; readonly slug: string; readonly name: string }
}

/**
 * The person as it is now: changes of it and of its organization that are under way are waited for, and
 * none is made until the transaction ends.
 */
export async function lockDeviceApprover(tx: Transaction, userId: string): Promise<DeviceApprover> {
  const rows = await tx.$queryRaw<Row[]>`
    SELECT u.id::text, u.name, u.email, u.kind::text, u.roles::text[] AS roles,
      u.password_hash AS "passwordHash",
      u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS active,
      t.id::text AS "tenantId", t.slug AS "tenantSlug", t.name AS "tenantName"
    FROM users u JOIN tenants t ON t.id = u.tenant_id WHERE u.id = ${userId}::uuid FOR SHARE`
  const { id, name, email, kind, tenantId, tenantSlug, tenantName, ...approver } = rows[0]!
  return {
    ...approver,
    user: { id, name, email, kind },
    tenant: { id: tenantId, slug: tenantSlug, name: tenantName },
  }
}

interface Row {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly kind: 'human' | 'service'
  readonly roles: Role[]
  readonly passwordHash: string | null
  readonly active: boolean
  readonly tenantId: string
  readonly tenantSlug: string
  readonly tenantName: string
}
