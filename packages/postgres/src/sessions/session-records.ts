import type { Role } from '@hosting/core/scopes'
import type { MissingSecondFactor, SessionState } from '@hosting/core/sessions'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'
import { actingUserColumns, actingUserTypes, toActingUser, type ActingUser } from './acting-user.ts'

const { bool, bytes, listOf, named, notNull, nullable, text, time, uuid } = types

/** Everything needed to authorize a request with a session, read by one statement. */
export interface SessionRecord extends SessionState, ActingUser {
  readonly id: string
  readonly confirmedAt: Date
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** What the session lacks of the second factor that the organization requires now or later. */
  readonly missingSecondFactor: MissingSecondFactor | null
  /** From when on it lacks it, in the past if it does now. Null if it lacks nothing. */
  readonly secondFactorDueAt: Date | null
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
  const [row] = await runPrepared(database, sessionStatement, { id })
  return row && toSessionState(row)
}

/** The columns of a {@link SessionRecordRow}. */
export const sessionRecordColumns = `
    s.id, s.secret_hash, s.confirmed_at, s.created_at, s.last_seen_at, s.idle_expires_at,
    s.absolute_expires_at, s.revoked_at,
    u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS user_is_active,
${actingUserColumns},
    i.id AS impersonator_id, i.name AS impersonator_name, i.roles::text[] AS impersonator_roles,
    i.status = 'active' AND i.deleted_at IS NULL AS impersonator_is_active,
    CASE WHEN p.second_factor_required
      THEN missing_second_factor(coalesce(s.impersonator_id, s.user_id), s.method, s.second_factor)
    END AS missing_second_factor,
    coalesce(p.second_factor_from, 'epoch') AS second_factor_from`

/**
 * The tables of {@link sessionRecordColumns}: the session as `s`, its user as `u`, the impersonator as `i` and the
 * security policy as `p`.
 */
export const sessionRecordTables = `
  panel_sessions s
  JOIN users u ON u.id = s.user_id
  JOIN tenants t ON t.id = u.tenant_id
  LEFT JOIN users i ON i.id = s.impersonator_id
  LEFT JOIN security_policies p ON p.tenant_id = t.id`

/** The types of {@link sessionRecordColumns}. */
export const sessionRecordTypes = {
  id: uuid,
  secretHash: bytes,
  confirmedAt: time,
  createdAt: time,
  lastSeenAt: time,
  idleExpiresAt: time,
  absoluteExpiresAt: time,
  revokedAt: nullable(time),
  userIsActive: notNull(bool, 'of columns that are not null'),
  ...actingUserTypes,
  impersonatorId: nullable(uuid),
  impersonatorName: nullable(text),
  impersonatorRoles: nullable(listOf(named<Role>('text'))),
  impersonatorIsActive: nullable(bool),
  missingSecondFactor: nullable(named<MissingSecondFactor>('text')),
  secondFactorFrom: notNull(time, 'a default'),
}

/** Returns the record of a session. Locks nothing. */
const sessionStatement = defineHotStatement({
  name: 'session-record',
  takes: { id: uuid },
  gives: sessionRecordTypes,
  sql: `SELECT ${sessionRecordColumns} FROM ${sessionRecordTables} WHERE s.id = :id`,
})

/** A row with the columns of {@link sessionRecordColumns}. */
export type SessionRecordRow = RowOf<typeof sessionRecordTypes>

/** Converts a row to a record. */
export const toSessionState = (row: SessionRecordRow): SessionRecord => ({
  id: row.id,
  secretHash: row.secretHash,
  confirmedAt: row.confirmedAt,
  createdAt: row.createdAt,
  lastSeenAt: row.lastSeenAt,
  idleExpiresAt: row.idleExpiresAt,
  absoluteExpiresAt: row.absoluteExpiresAt,
  revokedAt: row.revokedAt,
  userIsActive: row.userIsActive,
  missingSecondFactor: row.missingSecondFactor,
  secondFactorDueAt: row.missingSecondFactor && row.secondFactorFrom,
  impersonator:
    row.impersonatorId === null
      ? null
      : {
          id: row.impersonatorId,
          name: row.impersonatorName!,
          isActive: row.impersonatorIsActive!,
          roles: [...row.impersonatorRoles!],
        },
  ...toActingUser(row),
})
