import type { Approver } from '@hosting/core/device-login'
import type { Role } from '@hosting/core/scopes'
import type { Transaction } from '../database/database.ts'

/** The person who approves a device login, with the organization. */
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
 * Returns the person's current state. Waits for changes of the person, the organization and the session
 * that are in progress, and blocks new ones until the transaction ends.
 *
 * @param sessionId - the session in which the person approves. Null if a release before 0.2 did not
 * record it.
 */
export async function lockDeviceApprover(
  tx: Transaction,
  userId: string,
  sessionId: string | null,
): Promise<DeviceApprover> {
  const rows = await tx.$queryRaw<Row[]>`
    SELECT u.id::text, u.name, u.email, u.kind::text, u.roles::text[] AS roles,
      u.password_hash AS "passwordHash",
      u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS active,
      t.id::text AS "tenantId", t.slug AS "tenantSlug", t.name AS "tenantName"
    FROM users u JOIN tenants t ON t.id = u.tenant_id WHERE u.id = ${userId}::uuid FOR SHARE`
  const { id, name, email, kind, tenantId, tenantSlug, tenantName, ...approver } = rows[0]!
  return {
    ...approver,
    sessionLives: sessionId === null || (await holdSession(tx, sessionId)),
    user: { id, name, email, kind },
    tenant: { id: tenantId, slug: tenantSlug, name: tenantName },
  }
}

async function holdSession(tx: Transaction, sessionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM panel_sessions WHERE id = ${sessionId}::uuid AND revoked_at IS NULL FOR SHARE`
  return rows.length > 0
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
