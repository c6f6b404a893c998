import type { Approver } from '@hosting/core/device-login'
import type { Role } from '@hosting/core/scopes'
import type { MissingSecondFactor } from '@hosting/core/sessions'
import { types } from '../database/column-types.ts'
import type { Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { bool, listOf, named, notNull, nullable, text, uuid } = types

/** The person who approves a device login, with the organization. */
export interface DeviceApprover extends Approver {
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly kind: 'human' | 'service'
  }
  readonly tenant: { readonly id: string; readonly slug: string; readonly name: string }
  /** What the session of the approval lacks if the organization requires a second factor. */
  readonly missingSecondFactor: MissingSecondFactor | null
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
  const [row] = await runIn(tx, approverStatement, { userId })
  const { id, name, email, kind, tenantId, tenantSlug, tenantName, ...approver } = row!
  return {
    ...approver,
    ...(await holdSession(tx, { userId, sessionId })),
    user: { id, name, email, kind },
    tenant: { id: tenantId, slug: tenantSlug, name: tenantName },
  }
}

/** Gives the person with the organization, and locks both until the transaction ends. */
const approverStatement = defineStatement({
  name: 'lock-device-approver',
  takes: { userId: uuid },
  gives: {
    id: uuid,
    name: text,
    email: nullable(text),
    kind: notNull(named<'human' | 'service'>('text'), 'the column is never null'),
    roles: notNull(listOf(named<Role>('text')), 'every user has roles'),
    passwordHash: nullable(text),
    active: notNull(bool, 'of columns that are never null'),
    tenantId: uuid,
    tenantSlug: text,
    tenantName: text,
  },
  sql: `
    SELECT u.id, u.name, u.email, u.kind::text, u.roles::text[] AS roles, u.password_hash,
      u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS active,
      t.id AS tenant_id, t.slug AS tenant_slug, t.name AS tenant_name
    FROM users u JOIN tenants t ON t.id = u.tenant_id WHERE u.id = :userId FOR SHARE`,
})

type SessionOfApproval = Pick<DeviceApprover, 'sessionLives' | 'missingSecondFactor'>

/** An unknown session counts as begun with a password alone. */
async function holdSession(
  tx: Transaction,
  { userId, sessionId }: { userId: string; sessionId: string | null },
): Promise<SessionOfApproval> {
  const [session] = await tx.$queryRaw<{ missing: MissingSecondFactor | null }[]>`
    SELECT missing_second_factor(coalesce(impersonator_id, user_id), method, second_factor) AS missing
    FROM panel_sessions WHERE id = ${sessionId}::uuid AND revoked_at IS NULL FOR SHARE`
  if (session) return { sessionLives: true, missingSecondFactor: session.missing }
  const [unknown] = await tx.$queryRaw<{ missing: MissingSecondFactor | null }[]>`
    SELECT missing_second_factor(${userId}::uuid, 'password', false) AS missing`
  return { sessionLives: sessionId === null, missingSecondFactor: unknown!.missing }
}
