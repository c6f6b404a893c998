import { dayMs } from '@hosting/core/clock'
import { lowestUuidv7, timeOfUuidv7 } from '@hosting/core/ids'
import { recordsKeptDays } from '@hosting/core/webhooks'
import type { Database } from '../database/database.ts'
import { run } from '../database/statement.ts'
import {
  horizonStatement,
  lastExaminedStatement,
  lastStatement,
  pageStatement,
  positionStatement,
} from './event-log-statements.ts'

/** Which events of an organization a page of the log contains. */
export interface EventLogFilter {
  readonly tenantId: string
  /** Patterns as an endpoint subscribes to. */
  readonly types?: readonly string[] | undefined
  readonly objectId?: string | undefined
  readonly accountId?: string | undefined
}

/** A point between two events of the log, after which a page begins. */
export interface EventLogCursor {
  /** The copy of the log that the position belongs to, see `event_log_horizon()`. */
  readonly logId: string
  /** The last position before the point, as a decimal number. */
  readonly position: string
  /** Unix time in ms: all events after the point were accepted at or after it. */
  readonly fromMs: number
  /** Of the events up to a position, only those that were created at or after a time. */
  readonly since?: { readonly createdMs: number; readonly untilPosition: string } | undefined
}

/** Where a page begins: after a cursor, at the creation time of events, or with the oldest event. */
export type EventLogStart =
  | { readonly cursor: EventLogCursor }
  | { readonly sinceMs: number }
  | undefined

/** The page that a reader requests. */
export interface EventLogRequest {
  readonly start: EventLogStart
  readonly take: number
  /** The most events to examine. For tests. */
  readonly examinedMax?: number
}

/** A page of the log, oldest event first. */
export interface EventLogPage {
  /** The exact bytes of the envelopes. */
  readonly payloads: readonly string[]
  readonly next: EventLogCursor
}

/** The most events examined for a page whose filters no index covers. */
const examinedMax = 10_000

/**
 * How many events of an object or an account are examined first, for each event of a page: so few that the planner has
 * them read in their order.
 */
const fewPerEvent = 4

/**
 * The order of positions and the order of acceptance times may differ by this, in ms: the time limits of a publish and
 * the allowed differences of clocks, with a reserve.
 */
export const logSlackMs = 120_000

/** At the end of the log, a cursor stays the same for this long, in ms: a reader recognizes the end by it. */
const endKeptMs = 10_000

/**
 * Reads a page of the event log. Its end is the last position below which nothing can be committed any more, so a reader
 * that continues from `next` never misses an event, and gets none twice (apps/api/README.md#event-log). For an empty
 * page at the end of the log, `next` is the cursor of the request. Other empty pages have a later `next`.
 *
 * @returns `too_old` if events after the cursor may have been removed.
 */
export async function readEventLog(
  database: Database,
  filter: EventLogFilter,
  page: EventLogRequest,
): Promise<EventLogPage | 'too_old'> {
  const log = await readHorizon(database)
  const point = await findPoint(database, filter.tenantId, log, page.start)
  if (point === 'too_old') return 'too_old'
  const values = {
    ...toValues(filter.tenantId, point, log),
    objectId: filter.objectId ?? null,
    accountId: filter.accountId ?? null,
    types: filter.types ?? null,
    createdSince: point.since ? new Date(point.since.createdMs) : null,
    sinceUntil: point.since?.untilPosition ?? null,
    take: page.take,
  }
  const { pool } = database
  const max = page.examinedMax ?? examinedMax
  const readPart = async (examined: number) => {
    const part = { ...values, examined }
    const rows = await run(pool, pageStatement, part)
    const isFull = rows.length === page.take
    const [last] = isFull ? rows.slice(-1) : await run(pool, lastExaminedStatement, part)
    return { rows, last, isWhole: isFull || last === undefined || examined === max }
  }
  const hasSubject = filter.objectId !== undefined || filter.accountId !== undefined
  const first = await readPart(hasSubject ? Math.min(fewPerEvent * page.take, max) : max)
  const { rows, last } = first.isWhole ? first : await readPart(max)
  const next = last
    ? nextOf(point, log, { position: last.position, atMs: timeOfUuidv7(last.id) })
    : nextOf(point, log, await findEnd(database, filter.tenantId, { point, log }))
  const isEnd = rows.length === 0 && last === undefined
  return {
    payloads: rows.map(({ payload }) => payload),
    next: (isEnd ? keptAtEnd(page.start, next) : undefined) ?? next,
  }
}

/** The part of an organization's log between a point and the horizon. */
const toValues = (tenantId: string, { position, fromMs }: LogPoint, log: Horizon) => ({
  tenantId,
  afterPosition: position,
  untilPosition: log.position,
  lowestId: lowestUuidv7(fromMs - logSlackMs),
})

/** The end of the log at a moment of the database's clock. */
interface Horizon {
  readonly logId: string
  readonly position: string
  readonly momentMs: number
  /** When the oldest day began of which no event was removed. */
  readonly floorMs: number
}

async function readHorizon({ pool }: Database): Promise<Horizon> {
  const [row] = await run(pool, horizonStatement, {})
  const { horizon, moment, logId } = row!
  const momentMs = moment.getTime()
  const oldestMs = momentMs - recordsKeptDays * dayMs
  return { logId, position: horizon, momentMs, floorMs: oldestMs - (oldestMs % dayMs) }
}

type LogPoint = Pick<EventLogCursor, 'position' | 'fromMs' | 'since'>

/** In another copy of the log, the reader continues by time. It may then get some events again, but misses none. */
async function findPoint(
  database: Database,
  tenantId: string,
  log: Horizon,
  start: EventLogStart,
): Promise<LogPoint | 'too_old'> {
  const oldest = { position: '0', fromMs: log.floorMs }
  if (start === undefined) return oldest
  if ('sinceMs' in start) {
    const { sinceMs } = start
    if (sinceMs < log.floorMs) return oldest
    const point = await pointAt(database, tenantId, sinceMs, log)
    const { position: untilPosition } = await findEnd(database, tenantId, { point, log })
    return { ...point, since: { createdMs: sinceMs, untilPosition } }
  }
  const { cursor } = start
  if (cursor.fromMs + logSlackMs < log.floorMs) return 'too_old'
  if (cursor.logId === log.logId) return cursor
  return await pointAt(database, tenantId, cursor.fromMs, log)
}

/** The point before the events that were accepted since a time. */
async function pointAt(
  database: Database,
  tenantId: string,
  atMs: number,
  log: Horizon,
): Promise<LogPoint> {
  const fromMs = Math.max(Math.min(atMs, log.momentMs) - logSlackMs, log.floorMs)
  const from = new Date(fromMs)
  const [row] = await run(database.pool, positionStatement, { tenantId, from })
  const { before } = row!
  // Below a committed event, a publish in progress may still commit one.
  if (before !== null) return { position: lower(before, log.position), fromMs }
  const oldest = { position: '0', fromMs: log.floorMs }
  return { position: (await findEnd(database, tenantId, { point: oldest, log })).position, fromMs }
}

const lower = (one: string, other: string): string => (BigInt(one) < BigInt(other) ? one : other)

/** Where a page ends, and a time at or after which everything beyond was accepted, but for {@link logSlackMs}. */
interface PageEnd {
  readonly position: string
  readonly atMs: number
}

/**
 * The end of the log: the last event of the organization up to the horizon. Not the horizon itself, because a crash of
 * PostgreSQL may lose that positions were taken, unless an event with such a position was committed.
 */
async function findEnd(
  { pool }: Database,
  tenantId: string,
  { point, log }: { point: LogPoint; log: Horizon },
): Promise<PageEnd> {
  const [last] = await run(pool, lastStatement, toValues(tenantId, point, log))
  return { position: last?.position ?? point.position, atMs: log.momentMs }
}

function nextOf(
  { since }: LogPoint,
  { logId }: Horizon,
  { position, atMs }: PageEnd,
): EventLogCursor {
  return {
    logId,
    position,
    fromMs: atMs - logSlackMs,
    since: since && BigInt(position) < BigInt(since.untilPosition) ? since : undefined,
  }
}

/** The cursor of a reader at the end of the log, if it is recent enough to continue with. */
function keptAtEnd(start: EventLogStart, next: EventLogCursor): EventLogCursor | undefined {
  if (start === undefined || !('cursor' in start)) return undefined
  const { cursor } = start
  const isRecent = cursor.logId === next.logId && next.fromMs - cursor.fromMs < endKeptMs
  return isRecent ? cursor : undefined
}
