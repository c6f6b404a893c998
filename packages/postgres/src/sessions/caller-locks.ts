import {
  keyRecordColumns,
  keyRecordTables,
  keyRecordTypes,
  toGateKey,
  type GateKey,
} from '../api-keys/gate-keys.ts'
import { types } from '../database/column-types.ts'
import type { Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import {
  sessionRecordColumns,
  sessionRecordTables,
  sessionRecordTypes,
  toSessionState,
  type SessionRecord,
} from './session-records.ts'

const { keyId, listOf, nullable, time, uuid } = types

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
  caller: { keyId: string; userId: string },
): Promise<LockedRecord<GateKey> | undefined> {
  const row = await readLocked(() => runIn(tx, keyCallerStatement, caller))
  return row && { record: toGateKey(row), now: row.lockedAt }
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
  caller: { sessionId: string; userIds: readonly string[] },
): Promise<LockedRecord<SessionRecord> | undefined> {
  const row = await readLocked(() => runIn(tx, sessionCallerStatement, caller))
  return row && { record: toSessionState(row), now: row.lockedAt }
}

/** `lockedAt` is null if a locked row is newer than the statement's snapshot. */
interface Locked {
  readonly lockedAt: Date | null
}

/**
 * Reads again if a row changed between the start of the statement and the lock: a statement locks the
 * newest version of a row, but reads everything else from its snapshot. During the second read, the locks
 * are already held.
 */
async function readLocked<Row extends Locked>(
  read: () => Promise<Row[]>,
): Promise<(Row & { lockedAt: Date }) | undefined> {
  const [first] = await read()
  if (!first) return undefined
  const row = first.lockedAt ? first : (await read())[0]
  return row?.lockedAt ? (row as Row & { lockedAt: Date }) : undefined
}

/** A row's `xmin` identifies the transaction that wrote this version of it. A lock does not change it. */
const keyCallerStatement = defineStatement({
  name: 'lock-key-caller',
  takes: { keyId, userId: uuid },
  gives: { ...keyRecordTypes, lockedAt: nullable(time) },
  sql: `
  WITH locked_user AS MATERIALIZED (
    SELECT xmin AS version FROM users WHERE id = :userId FOR NO KEY UPDATE
  ), locked_key AS MATERIALIZED (
    SELECT xmin AS version FROM api_keys
    WHERE id = :keyId AND (SELECT count(*) FROM locked_user) > 0 FOR NO KEY UPDATE
  )
  SELECT ${keyRecordColumns},
    CASE WHEN k.xmin = (SELECT version FROM locked_key) AND u.xmin = (SELECT version FROM locked_user)
      THEN clock_timestamp() END AS locked_at
  FROM ${keyRecordTables} WHERE k.id = :keyId`,
})

/** Locks the persons in the order of their ids, then the session, and gives the record of what it locked. */
const sessionCallerStatement = defineStatement({
  name: 'lock-session-caller',
  takes: { sessionId: uuid, userIds: listOf(uuid) },
  gives: { ...sessionRecordTypes, lockedAt: nullable(time) },
  sql: `
  WITH locked_users AS MATERIALIZED (
    SELECT id, xmin AS version FROM users WHERE id = ANY (:userIds) ORDER BY id FOR NO KEY UPDATE
  ), locked_session AS MATERIALIZED (
    SELECT xmin AS version FROM panel_sessions
    WHERE id = :sessionId AND (SELECT count(*) FROM locked_users) > 0 FOR NO KEY UPDATE
  )
  SELECT ${sessionRecordColumns},
    CASE WHEN s.xmin = (SELECT version FROM locked_session)
        AND u.xmin = (SELECT version FROM locked_users l WHERE l.id = u.id)
        AND (i.id IS NULL OR i.xmin = (SELECT version FROM locked_users l WHERE l.id = i.id))
      THEN clock_timestamp() END AS locked_at
  FROM ${sessionRecordTables} WHERE s.id = :sessionId`,
})
