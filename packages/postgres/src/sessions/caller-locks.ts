import type { Transaction } from '../database/database.ts'
import {
  keyRecordColumns,
  keyRecordTables,
  toKeyRecord,
  type KeyRecord,
  type KeyRecordRow,
} from '../api-keys/key-records.ts'
import {
  sessionRecordColumns,
  sessionRecordTables,
  toSessionRecord,
  type SessionRecord,
  type SessionRecordRow,
} from './session-records.ts'

// A change locks the rows that authorize its caller and reads them again. Revoking an authorization
// updates one of these rows, so one of the two transactions waits for the other.
//
// To avoid deadlocks, all code that locks rows of callers uses this order: users, API keys, sessions,
// organizations.

/** A record whose rows the transaction has locked. */
export interface LockedRecord<T> {
  readonly record: T
  /** The database's clock, read after the rows were locked. */
  readonly now: Date
}

/** Locks a key and its user until the transaction ends, and reads the key's record. */
export async function lockKeyCaller(
  tx: Transaction,
  { keyId, userId }: { keyId: string; userId: string },
): Promise<LockedRecord<KeyRecord> | undefined> {
  const row = await readLocked(() =>
    tx.$queryRawUnsafe<(KeyRecordRow & Locked)[]>(keyCallerStatement, keyId, userId),
  )
  return row && { record: toKeyRecord(row), now: row.locked_at }
}

/**
 * Locks a session with its user and, during an impersonation, the impersonator until the transaction
 * ends, and reads the session's record.
 *
 * @param userIds - the users of the session when the request read it.
 * @returns `undefined` if the session no longer exists or belongs to other users.
 */
export async function lockSessionCaller(
  tx: Transaction,
  { sessionId, userIds }: { sessionId: string; userIds: readonly string[] },
): Promise<LockedRecord<SessionRecord> | undefined> {
  const row = await readLocked(() =>
    tx.$queryRawUnsafe<(SessionRecordRow & Locked)[]>(sessionCallerStatement, sessionId, [
      ...userIds,
    ]),
  )
  return row && { record: toSessionRecord(row), now: row.locked_at }
}

/** `locked_at` is null if a locked row is newer than the statement's snapshot. */
interface Locked {
  readonly locked_at: Date | null
}

/**
 * Reads again if a row changed between the start of the statement and the lock: a statement locks the
 * newest version of a row, but reads everything else from its snapshot. During the second read, the locks
 * are already held.
 */
async function readLocked<Row extends Locked>(
  read: () => Promise<Row[]>,
): Promise<(Row & { locked_at: Date }) | undefined> {
  const [first] = await read()
  if (!first) return undefined
  const row = first.locked_at ? first : (await read())[0]
  return row?.locked_at ? (row as Row & { locked_at: Date }) : undefined
}

/** A row's `xmin` identifies the transaction that wrote this version of it. A lock does not change it. */
const keyCallerStatement = `
  WITH locked_user AS MATERIALIZED (
    SELECT xmin AS version FROM users WHERE id = $2::uuid FOR NO KEY UPDATE
  ), locked_key AS MATERIALIZED (
    SELECT xmin AS version FROM api_keys
    WHERE id = $1 AND (SELECT count(*) FROM locked_user) > 0 FOR NO KEY UPDATE
  )
  SELECT ${keyRecordColumns},
    CASE WHEN k.xmin = (SELECT version FROM locked_key) AND u.xmin = (SELECT version FROM locked_user)
      THEN clock_timestamp() END AS locked_at
  FROM ${keyRecordTables} WHERE k.id = $1`

const sessionCallerStatement = `
  WITH locked_users AS MATERIALIZED (
    SELECT id, xmin AS version FROM users WHERE id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE
  ), locked_session AS MATERIALIZED (
    SELECT xmin AS version FROM panel_sessions
    WHERE id = $1::uuid AND (SELECT count(*) FROM locked_users) > 0 FOR NO KEY UPDATE
  )
  SELECT ${sessionRecordColumns},
    CASE WHEN s.xmin = (SELECT version FROM locked_session)
        AND u.xmin = (SELECT version FROM locked_users l WHERE l.id = u.id)
        AND (i.id IS NULL OR i.xmin = (SELECT version FROM locked_users l WHERE l.id = i.id))
      THEN clock_timestamp() END AS locked_at
  FROM ${sessionRecordTables} WHERE s.id = $1::uuid`
