import { lowestUuidv7 } from '@hosting/core/ids'
import type { DeliveryStatus } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { stateTables, statusOf } from '../deliveries/delivery-select.ts'
import { bySubject, isOfSubject, patternsOf, positionStatement } from './event-log-statements.ts'
import { logSlackMs, type EventLogFilter } from './event-log.ts'

/** An event of the log, with what became of it. */
export interface ListedEvent {
  /** The public id. */
  readonly id: string
  /** Its position in the log. */
  readonly position: string
  readonly type: string
  readonly createdAt: string
  readonly objectId: string | null
  readonly accountId: string | null
  readonly name: string | null
  /** The number of its deliveries by status. */
  readonly deliveries: readonly { readonly status: DeliveryStatus; readonly count: number }[]
}

/** A page of events, newest first. */
export interface NewestEvents {
  readonly events: readonly ListedEvent[]
  /** The position before which the next page begins; null at the end of the log. */
  readonly next: string | null
}

/** The page that a reader requests. */
export interface NewestEventsRequest {
  /** A position. Default: that of the newest event. */
  readonly before?: string | undefined
  /** Only events that were created at or after it, in Unix ms. */
  readonly sinceMs?: number | undefined
  /** Only events that were created before it, in Unix ms. */
  readonly untilMs?: number | undefined
  readonly take: number
  /** The most events to examine. For tests. */
  readonly examinedMax?: number
}

type Examined = NewestEventsRequest & { readonly examinedMax: number }

/** The most events examined for a page whose filters no index covers. */
const examinedMax = 10_000

/** The most deliveries of an event that are counted. */
const countedMax = 1_000

const highestPosition = '9223372036854775807'

/**
 * Reads a page of the event log of an organization in the reverse order of acceptance, as people look through it. First it
 * examines only a few events: without filters, and with many of them, most events match. With `untilMs`, of the events that
 * were accepted long after that time, it examines only the newest: few of them were created before it.
 */
export async function listNewestEvents(
  database: Pick<Database, 'pool'>,
  filter: EventLogFilter,
  page: NewestEventsRequest,
): Promise<NewestEvents> {
  const { take, examinedMax: limit = examinedMax } = page
  const few = Math.min(limit, 2 * take)
  const first = await examineNewest(database, filter, { ...page, examinedMax: few })
  if (first.next === null || first.events.length === take || few === limit) return first
  const rest = { take: take - first.events.length, examinedMax: limit - few, before: first.next }
  const second = await examineNewest(database, filter, { ...page, ...rest })
  const events = [...first.events, ...second.events]
  const end = await findEnd(database, filter, { ...page, found: events.length, next: second.next })
  if (end === undefined) return { events, next: second.next }
  const last = { take: take - events.length, examinedMax: limit, before: end }
  const third = await examineNewest(database, filter, { ...page, ...last })
  return { events: [...events, ...third.events], next: third.next }
}

/** The position before which events were created before `untilMs`, if a page that is not full was to continue after it. */
async function findEnd(
  { pool }: Pick<Database, 'pool'>,
  { tenantId }: EventLogFilter,
  {
    take,
    untilMs,
    found,
    next,
  }: NewestEventsRequest & { readonly found: number; readonly next: string | null },
): Promise<string | undefined> {
  if (untilMs === undefined || next === null || found === take) return undefined
  const from = new Date(untilMs + logSlackMs)
  const [position] = await run(pool, positionStatement, { tenantId, from })
  const before = position?.before ?? null
  if (before === null || BigInt(before) + 1n >= BigInt(next)) return undefined
  return String(BigInt(before) + 1n)
}

async function examineNewest(
  { pool }: Pick<Database, 'pool'>,
  { tenantId, types: patterns, objectId, accountId }: EventLogFilter,
  { before = highestPosition, sinceMs, untilMs, take, examinedMax: limit }: Examined,
): Promise<NewestEvents> {
  const [row] = await run(pool, newestStatement, {
    tenantId,
    before,
    fromId: lowestUuidv7(Math.max((sinceMs ?? 0) - logSlackMs, 0)),
    since: new Date(sinceMs ?? 0),
    until: untilMs === undefined ? null : new Date(untilMs),
    patterns: patterns ?? ['*'],
    objectId: objectId ?? null,
    accountId: accountId ?? null,
    examinedMax: limit,
    // One more than the page shows whether another page follows.
    take: take + 1,
  })
  const { events: read, examined, examinedTo } = row!
  const events = read.slice(0, take)
  const isCut = read.length <= take && examined === limit
  return {
    events,
    next: read.length > take ? events.at(-1)!.position : isCut ? examinedTo : null,
  }
}

/**
 * The lowest id of a delivery of an event, so that the partitions of earlier days are left out: the first 32 bits of a UUIDv7
 * are its time in 65.536 s, and clocks may differ by an hour.
 */
const oldestDeliveryOf = (eventId: string): string =>
  `(lpad(to_hex(('x' || left(${eventId}::text, 8))::bit(32)::bigint - 55), 8, '0') || '-0000-0000-0000-000000000000')::uuid`

/**
 * Returns a page of the events that match the filter, newest first, with the numbers of their deliveries. Locks
 * nothing.
 */
const newestStatement = defineStatement({
  name: 'list-newest-events',
  takes: {
    tenantId: types.uuid,
    before: types.bigint,
    fromId: types.uuid,
    since: types.time,
    until: types.nullable(types.time),
    patterns: types.listOf(types.text),
    objectId: types.nullable(types.text),
    accountId: types.nullable(types.text),
    examinedMax: types.int,
    take: types.int,
  },
  gives: {
    events: types.json<readonly ListedEvent[]>(),
    examined: types.notNull(types.int, 'count'),
    examinedTo: types.nullable(types.text),
  },
  sql: `
    WITH candidate AS MATERIALIZED (
      SELECT id, tenant_id, event_id, position, type, created_at, object_id, account_id, name FROM events
      WHERE position IS NOT NULL AND position < :before AND id >= :fromId AND ${bySubject}
      ORDER BY position DESC LIMIT :examinedMax
    ), page AS MATERIALIZED (
      SELECT * FROM candidate WHERE ${isOfSubject} AND ${patternsOf('type')} && :patterns AND created_at >= :since
        AND (:until IS NULL OR created_at < :until)
      ORDER BY position DESC LIMIT :take
    ), counted AS (
      SELECT page.id, found.status, count(*)::int AS count FROM page CROSS JOIN LATERAL (
        SELECT ${statusOf} AS status FROM ${stateTables}
        WHERE d.event_ref = page.id AND d.id >= ${oldestDeliveryOf('page.id')} LIMIT ${countedMax}
      ) found
      GROUP BY page.id, found.status
    )
    SELECT coalesce((
        SELECT json_agg(json_build_object('id', page.event_id, 'position', page.position::text, 'type', page.type,
          'createdAt', page.created_at, 'objectId', page.object_id, 'accountId', page.account_id, 'name', page.name,
          'deliveries', coalesce((
            SELECT json_agg(json_build_object('status', counted.status, 'count', counted.count) ORDER BY counted.status)
            FROM counted WHERE counted.id = page.id
          ), '[]'::json)) ORDER BY page.position DESC)
        FROM page
      ), '[]'::json) AS events,
      (SELECT count(*)::int FROM candidate) AS examined, (SELECT min(position)::text FROM candidate) AS examined_to`,
})
