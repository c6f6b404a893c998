import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import {
  noticesKeptDays,
  type NoticeFacts,
  type NoticeSubjectType,
  type NoticeType,
  type SecurityChange,
} from '@hosting/core/notices'
import { describeAgent } from '@hosting/core/text'
import {
  defineScan,
  ifGiven,
  partOf,
  scanPage,
  type ScannedRows,
} from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, run } from '../database/statement.ts'
import type { Prisma } from '../generated/client.ts'
import { writeNotice } from './write-notice.ts'

const { bool, int, jsonb, notNull, nullable, text, uuid } = types

/** A notice of a person. */
export interface NoticeRecord extends NoticeFacts {
  /** A UUIDv7. */
  readonly id: string
  readonly createdAt: Date
  readonly readAt: Date | null
}

/** The most notices that are examined for a page. */
const examinedMax = 2_000

/**
 * Returns a page of a person's notices, newest first. If few of many notices match, the page is not full, and continues
 * after `examinedTo`.
 *
 * @param filter - `unread`: only those that are unread, or only those read.
 * @param examined - the most notices to examine. For tests.
 */
export async function listNotices(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  { userId, unread = null }: { userId: string; unread?: boolean | null | undefined },
  { after, take }: { after: string | undefined; take: number },
  examined: number = examinedMax,
): Promise<ScannedRows<NoticeRecord>> {
  const statement = unread ? unreadScan : allScan
  const { positions, examinedTo } = await scanPage(
    { before: after, take, examined },
    ({ before = null, ...step }) => run(pool, statement, { userId, unread, before, ...step }),
  )
  const found = await prisma.notice.findMany({
    where: { id: { in: [...positions] } },
    orderBy: { id: 'desc' },
  })
  const rows = found.map((row) => ({
    ...toFacts(row),
    id: row.id,
    createdAt: row.createdAt,
    readAt: row.readAt,
  }))
  return { rows, examinedTo }
}

/** Returns the part of a page that an index of notices contains. Locks nothing. */
const defineNotices = (name: string, indexed: string) =>
  defineScan(
    name,
    {
      userId: uuid,
      unread: nullable(bool),
      before: nullable(uuid),
      take: int,
      examined: int,
    },
    [
      partOf(`
        SELECT id::text AS position, ${ifGiven('unread', '(read_at IS NULL) = :unread')} AS matches
        FROM notices WHERE user_id = :userId AND ${indexed} AND ${ifGiven('before', 'id < :before')}
        ORDER BY id DESC LIMIT :examined`),
    ],
  )

const allScan = defineNotices('list-notices', 'true')
const unreadScan = defineNotices('list-unread-notices', 'read_at IS NULL')

/** The columns that {@link toFacts} reads. */
export const factTypes = {
  type: text,
  subjectType: text,
  subjectId: text,
  subjectName: text,
  details: jsonb<Prisma.JsonValue>(),
}

type FactColumns = Pick<
  Prisma.NoticeGetPayload<object>,
  'type' | 'subjectType' | 'subjectId' | 'subjectName' | 'details'
>

/** The facts of a notice from its row. {@link writeNotice} writes no other types. */
export const toFacts = (row: FactColumns): NoticeFacts => ({
  type: row.type as NoticeType,
  subject: {
    type: row.subjectType as NoticeSubjectType,
    id: row.subjectId,
    name: row.subjectName,
  },
  details: row.details as NoticeFacts['details'],
})

/** Counts a person's unread notices, up to `countMax`. */
export async function countUnreadNotices(
  { pool }: Database,
  userId: string,
  countMax: number,
): Promise<number> {
  const [unread] = await run(pool, unreadStatement, { userId, countMax })
  return unread!.count
}

/** Returns the number of a person's unread notices, up to a limit. Locks nothing. */
const unreadStatement = defineStatement({
  name: 'count-unread-notices',
  takes: { userId: uuid, countMax: int },
  gives: { count: notNull(int, 'count') },
  sql: `
    SELECT count(*)::int FROM (
      SELECT FROM notices WHERE user_id = :userId AND read_at IS NULL LIMIT :countMax
    ) n`,
})

/** Marks unread notices of a person as read: all, or those with the ids. Other people's ids are ignored. */
export async function markNoticesRead(
  tx: Transaction,
  userId: string,
  ids: readonly string[] | undefined,
): Promise<void> {
  await tx.notice.updateMany({
    where: { userId, readAt: null, ...(ids && { id: { in: [...ids] } }) },
    data: { readAt: currentTime() },
  })
}

/** A session that was opened in a browser without a device cookie of the person. */
export interface NewDevice {
  readonly userId: string
  readonly sessionId: string
  /** Names the browser. */
  readonly name: string
  readonly ip: string
  readonly now: Date
}

/** Writes the notice of a sign-in with a new device, unless it is the person's first sign-in. */
export async function writeNewDeviceNotice(
  tx: Transaction,
  { userId, sessionId, name, ip, now }: NewDevice,
): Promise<void> {
  const first = await tx.firstSignIn.findUnique({ where: { userId } })
  if (!first || first.sessionId === sessionId) return
  await writeNotice(tx, {
    type: 'sign_in.new_device',
    occurrence: sessionId,
    subject: { type: 'session', id: sessionId, name },
    details: { ip, signed_in_at: now.toISOString() },
    to: { people: [userId] },
  })
}

/** A change to how a person's account is protected. */
export interface ChangedSecurity {
  readonly userId: string
  readonly change: SecurityChange
  /** The session in which it was made, or which was not opened because of it. */
  readonly sessionId: string
  /** The `User-Agent` of the browser. Default: that of the session. */
  readonly userAgent?: string | undefined
  readonly ip: string
  readonly now: Date
  /** The name of whoever made it; null: the person. */
  readonly by: string | null
  /** Further facts for the text. */
  readonly facts?: Readonly<Record<string, string>>
}

/** Writes the notice of a change to how a person's account is protected. The person gets it for own changes too. */
export async function writeSecurityNotice(
  tx: Transaction,
  { userId, change, sessionId, userAgent, ip, now, by, facts = {} }: ChangedSecurity,
): Promise<void> {
  const browser = describeAgent(userAgent ?? (await agentOf(tx, sessionId)))
  await writeNotice(tx, {
    type: 'security.changed',
    occurrence: createUuidv7(),
    subject: { type: 'session', id: sessionId, name: browser },
    details: { change, ip, changed_at: now.toISOString(), by, ...facts },
    to: { people: [userId] },
  })
}

async function agentOf(tx: Transaction, sessionId: string): Promise<string> {
  const { userAgent } = await tx.panelSession.findUniqueOrThrow({
    where: { id: sessionId },
    select: { userAgent: true },
  })
  return userAgent
}

/** Deletes the notices that are past their retention, with their mails. Returns their number. */
export const dropOldNotices = defineDeletion({
  name: 'delete-old-notices',
  table: 'notices',
  where: `id < uuid_v7_floor(now() - make_interval(days => ${noticesKeptDays}))`,
})
