import { lowestUuidv7, timeOfUuidv7 } from '@hosting/core/ids'
import { recordsKeptDays } from '@hosting/core/webhooks'
import type { Database } from '../database/database.ts'

/** Which events of an organization a page of the log contains. */
export interface EventLogFilter {
  readonly tenantId: string
  /** Patterns as an endpoint subscribes to. */
  readonly types?: readonly string[] | undefined
  readonly objectId?: string | undefined
  readonly accountId?: string | undefined
}

/** A place between two events of the log. */
export interface EventLogCursor {
  /** The copy of the log that the position belongs to, see `event_log_horizon()`. */
  readonly logId: string
  /** The last position before the place, as a decimal number. */
  readonly position: string
  /** Unix time in ms: all events after the place were accepted at or after it. */
  readonly fromMs: number
  /** Of the events up to a position, only those that were created at or after a time. */
  readonly since?: { readonly createdMs: number; readonly untilPosition: string } | undefined
}

/** Where a page begins: after a cursor, at the creation time of events, or with the oldest event. */
export type EventLogStart =
  { readonly cursor: EventLogCursor } | { readonly sinceMs: number } | undefined

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
 * The order of positions and the order of acceptance times may differ by this, in ms: the time limits of a publish and
 * the allowed differences of clocks, with a reserve.
 */
export const logSlackMs = 120_000

/** At the end of the log, a cursor stays the same for this long, in ms: a reader recognizes the end by it. */
const endKeptMs = 10_000

const dayMs = 86_400_000

/**
 * Reads a page of the event log. Its end is the last position below which nothing can be committed any more, so a reader
 * that continues from `next` never misses an event, and gets none twice (docs/decisions/0090-event-log.md). For an empty
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
  const place = await findPlace(database, filter.tenantId, log, page.start)
  if (place === 'too_old') return 'too_old'
  const limits = { examined: page.examinedMax ?? examinedMax }
  const { candidates, values } = candidatesOf(filter, place, log)
  const conditions = [
    ...(filter.types ? [`${patternsOf('c.type')} && $${values.push(filter.types)}::text[]`] : []),
    ...(place.since
      ? [
          `(c.created_at >= $${values.push(new Date(place.since.createdMs))}
            OR c.position > $${values.push(place.since.untilPosition)}::bigint)`,
        ]
      : []),
  ]
  const { rows } = await database.pool.query<LogRow>(
    `SELECT id, position, payload FROM (${candidates} LIMIT ${limits.examined}) c
     ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY position LIMIT ${page.take}`,
    values,
  )
  const last =
    rows.length === page.take
      ? rows.at(-1)
      : await findLastExamined(database, filter, { place, log, limits })
  const next = last
    ? nextOf(place, log, { position: last.position, atMs: timeOfUuidv7(last.id) })
    : nextOf(place, log, await findEnd(database, filter.tenantId, { place, log }))
  const isEnd = rows.length === 0 && last === undefined
  return {
    payloads: rows.map(({ payload }) => payload),
    next: (isEnd ? keptAtEnd(page.start, next) : undefined) ?? next,
  }
}

interface LogRow {
  readonly id: string
  readonly position: string
  readonly payload: string
}

/** The end of the log at a moment of the database's clock. */
interface Horizon {
  readonly logId: string
  readonly position: string
  readonly momentMs: number
  /** When the oldest day began of which no event was removed. */
  readonly floorMs: number
}

async function readHorizon({ pool }: Database): Promise<Horizon> {
  const { rows } = await pool.query<{ horizon: string; moment: Date; log_id: string }>(
    'SELECT horizon, moment, log_id FROM event_log_horizon()',
  )
  const { horizon, moment, log_id } = rows[0]!
  const momentMs = moment.getTime()
  const oldestMs = momentMs - recordsKeptDays * dayMs
  return { logId: log_id, position: horizon, momentMs, floorMs: oldestMs - (oldestMs % dayMs) }
}

type Place = Pick<EventLogCursor, 'position' | 'fromMs' | 'since'>

/** In another copy of the log, the reader continues by time. It may then get some events again, but misses none. */
async function findPlace(
  database: Database,
  tenantId: string,
  log: Horizon,
  start: EventLogStart,
): Promise<Place | 'too_old'> {
  const oldest = { position: '0', fromMs: log.floorMs }
  if (start === undefined) return oldest
  if ('sinceMs' in start) {
    const { sinceMs } = start
    if (sinceMs < log.floorMs) return oldest
    const place = await placeAt(database, tenantId, sinceMs, log)
    const { position: untilPosition } = await findEnd(database, tenantId, { place, log })
    return { ...place, since: { createdMs: sinceMs, untilPosition } }
  }
  const { cursor } = start
  if (cursor.fromMs + logSlackMs < log.floorMs) return 'too_old'
  if (cursor.logId === log.logId) return cursor
  return await placeAt(database, tenantId, cursor.fromMs, log)
}

/** The place before the events that were accepted since a time. */
async function placeAt(
  database: Database,
  tenantId: string,
  atMs: number,
  log: Horizon,
): Promise<Place> {
  const fromMs = Math.max(Math.min(atMs, log.momentMs) - logSlackMs, log.floorMs)
  const { rows } = await database.pool.query<{ before: string | null }>(
    'SELECT event_position_from($1, $2) - 1 AS before',
    [tenantId, new Date(fromMs)],
  )
  const before = rows[0]!.before
  // Below a committed event, a publish in progress may still commit one.
  if (before !== null) return { position: lower(before, log.position), fromMs }
  const oldest = { position: '0', fromMs: log.floorMs }
  return { position: (await findEnd(database, tenantId, { place: oldest, log })).position, fromMs }
}

const lower = (one: string, other: string): string => (BigInt(one) < BigInt(other) ? one : other)

/** The events between the place and the horizon in their order, by an index. */
function candidatesOf(
  { tenantId, objectId, accountId }: EventLogFilter,
  { position, fromMs }: Place,
  log: Horizon,
): { candidates: string; values: unknown[] } {
  const values: unknown[] = [tenantId, position, log.position, lowestUuidv7(fromMs - logSlackMs)]
  const candidates = `SELECT id, position, type, created_at, payload FROM events
    WHERE tenant_id = $1 AND position > $2::bigint AND position <= $3::bigint AND id >= $4::uuid
      ${objectId === undefined ? '' : `AND object_id = $${values.push(objectId)}`}
      ${accountId === undefined ? '' : `AND account_id = $${values.push(accountId)}`}
    ORDER BY position`
  return { candidates, values }
}

/** The last event examined for a page that is not full. `undefined`: the page ends at the horizon. */
async function findLastExamined(
  { pool }: Database,
  filter: EventLogFilter,
  { place, log, limits }: { place: Place; log: Horizon; limits: { examined: number } },
): Promise<LogRow | undefined> {
  const { candidates, values } = candidatesOf(filter, place, log)
  const { rows } = await pool.query<LogRow>(
    `${candidates} OFFSET ${limits.examined - 1} LIMIT 1`,
    values,
  )
  return rows[0]
}

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
  { place: { position, fromMs }, log }: { place: Place; log: Horizon },
): Promise<PageEnd> {
  const { rows } = await pool.query<{ position: string }>(
    `SELECT position FROM events
     WHERE tenant_id = $1 AND position > $2::bigint AND position <= $3::bigint AND id >= $4::uuid
     ORDER BY position DESC LIMIT 1`,
    [tenantId, position, log.position, lowestUuidv7(fromMs - logSlackMs)],
  )
  return { position: rows[0]?.position ?? position, atMs: log.momentMs }
}

function nextOf({ since }: Place, { logId }: Horizon, { position, atMs }: PageEnd): EventLogCursor {
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

/** Every pattern that matches an event type, in SQL. */
export const patternsOf = (type: string): string =>
  `ARRAY['*', split_part(${type}, '.', 1) || '.*', ${type}]`
