import type { Role, SessionState } from '@hosting/core'
import { runPrepared, type Database } from './database.ts'

/** All that deciding on a request with a session takes, in one statement. */
export interface SessionRecord extends SessionState {
  readonly id: string
  readonly confirmedAt: Date
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** Who acts as the user; null where the user acts. */
  readonly impersonator: {
    readonly id: string
    readonly name: string
    readonly isActive: boolean
    readonly roles: readonly Role[]
  } | null
  readonly tenant: {
    readonly id: string
    readonly slug: string
    readonly name: string
    readonly edition: string
  }
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly kind: 'human' | 'service'
    readonly roles: Role[]
    readonly accountIds: string[]
  }
}

/** The record of a session, in whatever state. */
export async function loadSessionRecord(
  database: Database,
  id: string,
): Promise<SessionRecord | undefined> {
  const [row] = await runPrepared<Row>(database, 'session-record', sessionStatement, [id])
  return row && toRecord(row)
}

const sessionStatement = `
  SELECT s.id, s.secret_hash, s.confirmed_at, s.created_at, s.last_seen_at, s.idle_expires_at,
    s.absolute_expires_at, s.revoked_at,
    u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS user_is_active,
    t.id AS tenant_id, t.slug AS tenant_slug, t.name AS tenant_name, t.edition AS tenant_edition,
    u.id AS user_id, u.name AS user_name, u.email AS user_email, u.kind AS user_kind,
    u.roles::text[] AS user_roles,
    ARRAY(SELECT a.account_id FROM user_accounts a WHERE a.user_id = u.id ORDER BY 1) AS account_ids,
    i.id AS impersonator_id, i.name AS impersonator_name, i.roles::text[] AS impersonator_roles,
    i.status = 'active' AND i.deleted_at IS NULL AS impersonator_is_active
  FROM panel_sessions s
  JOIN users u ON u.id = s.user_id
  JOIN tenants t ON t.id = u.tenant_id
  LEFT JOIN users i ON i.id = s.impersonator_id
  WHERE s.id = $1::uuid`

interface Row {
  id: string
  secret_hash: Buffer
  confirmed_at: Date
  created_at: Date
  last_seen_at: Date
  idle_expires_at: Date
  absolute_expires_at: Date
  revoked_at: Date | null
  user_is_active: boolean
  tenant_id: string
  tenant_slug: string
  tenant_name: string
  tenant_edition: string
  user_id: string
  user_name: string
  user_email: string | null
  user_kind: 'human' | 'service'
  user_roles: Role[]
  account_ids: string[]
  impersonator_id: string | null
  impersonator_name: string | null
  impersonator_roles: Role[] | null
  impersonator_is_active: boolean | null
}

const toRecord = (row: Row): SessionRecord => ({
  id: row.id,
  secretHash: row.secret_hash,
  confirmedAt: row.confirmed_at,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  idleExpiresAt: row.idle_expires_at,
  absoluteExpiresAt: row.absolute_expires_at,
  revokedAt: row.revoked_at,
  userIsActive: row.user_is_active,
  impersonator:
    row.impersonator_id === null
      ? null
      : {
          id: row.impersonator_id,
          name: row.impersonator_name!,
          isActive: row.impersonator_is_active!,
          roles: row.impersonator_roles!,
        },
  tenant: {
    id: row.tenant_id,
    slug: row.tenant_slug,
    name: row.tenant_name,
    edition: row.tenant_edition,
  },
  user: {
    id: row.user_id,
    name: row.user_name,
    email: row.user_email,
    kind: row.user_kind,
    roles: row.user_roles,
    accountIds: row.account_ids,
  },
})
