import type { NoticeFacts } from '@hosting/core/notices'
import type { ClientBase } from 'pg'
import type { Database } from '../database/database.ts'
import { toFacts } from './notices.ts'

/** A notice of any person, for a platform that sends its own messages. */
export interface FedNotice extends NoticeFacts {
  readonly id: string
  readonly createdAt: Date
  readonly tenantId: string
  readonly user: { readonly id: string; readonly email: string | null }
  /** The place in the feed. */
  readonly position: string
}

/** The most notices that get their positions in one transaction. */
const placedMax = 1_000

/**
 * Reads the feed of all notices, oldest first. Notices get their positions here, after their commit, and one
 * transaction at a time. So positions become visible in their order: whatever commits late follows later.
 *
 * @param after - the position of the last notice that the reader has.
 */
export async function readNoticeFeed(
  database: Database,
  { after, take }: { after: string; take: number },
): Promise<FedNotice[]> {
  await placeNotices(database)
  const { rows } = await database.pool.query<FedRow>(
    `SELECT n.id, n.created_at, n.tenant_id, n.user_id, u.email, n.type, n.subject_type AS "subjectType",
       n.subject_id AS "subjectId", n.subject_name AS "subjectName", n.details, n.position
     FROM notices n LEFT JOIN users u ON u.id = n.user_id
     WHERE n.position > $1 ORDER BY n.position LIMIT $2`,
    [after, take],
  )
  return rows.map((row) => ({
    ...toFacts(row),
    id: row.id,
    createdAt: row.created_at,
    tenantId: row.tenant_id,
    user: { id: row.user_id, email: row.email },
    position: row.position,
  }))
}

type FedRow = Parameters<typeof toFacts>[0] & {
  readonly id: string
  readonly created_at: Date
  readonly tenant_id: string
  readonly user_id: string
  readonly email: string | null
  readonly position: string
}

/** Gives positions to committed notices that have none. */
async function placeNotices({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ waiting: boolean }>(
    'SELECT EXISTS (SELECT FROM notices WHERE position IS NULL) AS waiting',
  )
  if (!rows[0]!.waiting) return
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await placeLocked(client)
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** The lock is held until the commit, so the next transaction continues after these positions. */
async function placeLocked(client: ClientBase): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('notice_positions', 0))`)
  await client.query(
    `WITH waiting AS MATERIALIZED (
       SELECT id FROM notices WHERE position IS NULL ORDER BY id LIMIT $1
     ), placed AS MATERIALIZED (
       SELECT id, nextval('notice_positions') AS position FROM waiting
     )
     UPDATE notices n SET position = placed.position FROM placed WHERE n.id = placed.id`,
    [placedMax],
  )
}
