import type { Role, SessionState } from '@hosting/core'
import {
  actingUserColumns,
  toActingUser,
  type ActingUser,
  type ActingUserRow,
} from './acting-user.ts'
import { runPrepared, type Database } from '../database/database.ts'

/** Everything needed to authorize a request with a session, read by one statement. */
export interface SessionRecord extends SessionState, ActingUser {
  readonly id: string
  readonly confirmedAt: Date
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** The impersonator who acts as the user. Null if the user acts. */
  readonly impersonator: {
    readonly id: string
    readonly name: string
    readonly isActive: boolean
    readonly roles: readonly Role[]
  } | null
}

/** Loads the record of a session in any state. */
export async function loadSessionRecord(
  database: Database,
  id: string,
): Promise<SessionRecord | undefined> {
  const [row] = await runPrepared<SessionRecordRow>(database, 'session-record', sessionStatement, [
    id,
  ])
  return row && toSessionRecord(row)
}

/** The columns of a {@link SessionRecordRow}. */
export const sessionRecordColumns = `
    s.id, s.secret_hash, s.confirmed_at, s.created_at, s.last_seen_at, s.idle_expires_at,
    s.absolute_expires_at, s.revoked_at,
    u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS user_is_active,
${actingUserColumns},
    i.id AS impersonator_id, i.name AS impersonator_name, i.roles::text[] AS impersonator_roles,
    i.status = 'active' AND i.deleted_at IS NULL AS impersonator_is_active`

/**
 * The tables of {@link sessionRecordColumns}: the session as `s`, its user as `u` and the impersonator as
 * `i`.
 */
export const sessionRecordTables = `
  panel_sessions s
  JOIN users u ON u.id = s.user_id
  JOIN tenants t ON t.id = u.tenant_id
  LEFT JOIN users i ON i.id = s.impersonator_id`

const sessionStatement = `
  SELECT ${sessionRecordColumns} FROM ${sessionRecordTables} WHERE s.id = $1::uuid`

/** A row with the columns of {@link sessionRecordColumns}. */
export interface SessionRecordRow extends ActingUserRow {
  id: string
  secret_hash: Uint8Array
  confirmed_at: Date
  created_at: Date
  last_seen_at: Date
  idle_expires_at: Date
  absolute_expires_at: Date
  revoked_at: Date | null
  user_is_active: boolean
  impersonator_id: string | null
  impersonator_name: string | null
  impersonator_roles: Role[] | null
  impersonator_is_active: boolean | null
}

/** Converts a row to a record. */
export const toSessionRecord = (row: SessionRecordRow): SessionRecord => ({
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
  ...toActingUser(row),
})
