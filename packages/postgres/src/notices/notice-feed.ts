import type { NoticeFacts } from '@hosting/core/notices'
import type { ClientBase } from 'pg'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'
import { runTransaction } from '../database/transaction.ts'
import { factTypes, toFacts } from './notices.ts'

const { bigint, bool, int, notNull, nullable, text, time, uuid } = types

/** A notice of any person, for a platform that sends its own messages. */
export interface FedNotice extends NoticeFacts {
  readonly id: string
  readonly createdAt: Date
  readonly tenantId: string
  readonly user: { readonly id: string; readonly email: string | null }
  /** The position in the feed. */
  readonly position: string
}

/** The most notices that get their positions in one transaction. */
const numberedMax = 1_000

/**
 * Reads the feed of all notices, oldest first. Notices get their positions here, after their commit, and one
 * transaction at a time. So positions become visible in order, and a notice that commits late gets a later position.
 *
 * @param after - the position of the last notice that the reader has.
 */
export async function readNoticeFeed(
  database: Database,
  { after, take }: { after: string; take: number },
): Promise<FedNotice[]> {
  await numberNotices(database)
  const rows = await run(database.pool, feedStatement, { after, take })
  return rows.map((row) => ({
    ...toFacts(row),
    id: row.id,
    createdAt: row.createdAt,
    tenantId: row.tenantId,
    user: { id: row.userId, email: row.email },
    position: row.position,
  }))
}

/** Returns the notices after a position, in the order of the feed. Locks nothing. */
const feedStatement = defineStatement({
  name: 'read-notice-feed',
  takes: { after: bigint, take: int },
  gives: {
    id: uuid,
    createdAt: time,
    tenantId: uuid,
    userId: uuid,
    email: nullable(text),
    ...factTypes,
    position: notNull(bigint, 'part of the condition'),
  },
  sql: `
    SELECT n.id, n.created_at, n.tenant_id, n.user_id, u.email, n.type, n.subject_type, n.subject_id,
      n.subject_name, n.details, n.position
    FROM notices n LEFT JOIN users u ON u.id = n.user_id
    WHERE n.position > :after ORDER BY n.position LIMIT :take`,
})

/** Returns positions to committed notices that have none. */
async function numberNotices({ pool }: Database): Promise<void> {
  const [found] = await run(pool, waitingStatement, {})
  if (!found!.isWaiting) return
  await runTransaction({ pool }, placeLocked)
}

/** The lock is held until the commit, so the next transaction continues after these positions. */
async function placeLocked(client: ClientBase): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('notice_positions', 0))`)
  await execute(client, numberStatement, { numberedMax })
}

/** Returns whether a notice has no position in the feed yet. Locks nothing. */
const waitingStatement = defineStatement({
  name: 'find-unplaced-notice',
  takes: {},
  gives: { isWaiting: notNull(bool, 'EXISTS') },
  sql: 'SELECT EXISTS (SELECT FROM notices WHERE position IS NULL) AS is_waiting',
})

/**
 * Returns notices without a position the next positions, in the order of their ids. Skips notices that another
 * transaction has locked, such as one in which their person marks them as read: waiting for them while others are locked
 * may deadlock. They follow later, like those that commit late.
 */
const numberStatement = defineStatement({
  name: 'number-notices',
  takes: { numberedMax: int },
  gives: {},
  sql: `
    WITH waiting AS MATERIALIZED (
      SELECT id FROM notices WHERE position IS NULL ORDER BY id LIMIT :numberedMax FOR UPDATE SKIP LOCKED
    ), numbered AS MATERIALIZED (
      SELECT id, nextval('notice_positions') AS position FROM waiting
    )
    UPDATE notices n SET position = numbered.position FROM numbered WHERE n.id = numbered.id`,
})
