import { decodePlainCursor, type Cursors } from '@hosting/core/lists'
import { validationFailed } from '@hosting/core/problems'
import {
  eventLogPageDefault,
  filterPatternsMax,
  isEventPattern,
  type Envelope,
} from '@hosting/core/webhooks'
import {
  listNewestEvents,
  readEventLog,
  type EventLogCursor,
  type EventLogFilter,
  type EventLogStart,
  type ListedEvent,
} from '@hosting/postgres/webhooks'
import { Type } from 'typebox'
import type { Caller } from '../access/caller.ts'
import { bodyValidator, foreignCursor, requireValid } from '../schemas/validation.ts'
import { strictObject, timeText } from '../schemas/common.ts'
import { eventLogQuery, type EventLogQuery } from '../schemas/event-log.ts'
import type { Needs } from '../services.ts'

/** Reads a page of the event log of the caller's organization. @throws Problem `validation_failed`. */
export async function readLog(
  { database, cursors }: Needs<'cursors' | 'database'>,
  { tenant }: Caller,
  query: EventLogQuery,
): Promise<{ items: Envelope[]; next_cursor: string }> {
  const { limit: take = eventLogPageDefault } = query
  const start = startOf(cursors, query)
  const filter = toEventFilter(tenant.id, query)
  const page = await readEventLog(database, filter, { start, take })
  if (page === 'too_old') {
    throw validationFailed({
      pointer: '/cursor',
      message: 'is older than the event log, so events may be missing: start again with since',
    })
  }
  return {
    items: page.payloads.map((payload) => JSON.parse(payload) as Envelope),
    next_cursor: cursors.encode(logName, formatCursor(page.next)),
  }
}

/** Converts the filters of a query. @throws Problem `validation_failed`. */
export const toEventFilter = (
  tenantId: string,
  { types, account_id: accountId, object_id: objectId }: EventLogQuery,
): EventLogFilter => ({
  tenantId,
  types: types === undefined ? undefined : readPatterns(types),
  accountId,
  objectId,
})

const logName = 'events'
const newestName = 'newest-events'
const newestTake = 50

const validateQuery = bodyValidator(
  strictObject({
    ...eventLogQuery.properties,
    until: Type.Optional(timeText('Only events that were created before it.')),
  }),
)

/**
 * Reads a page of the event log for people: newest first, with what became of each event.
 *
 * @param query - as for {@link readLog}. `since` and `until` restrict every page.
 * @throws Problem `validation_failed`.
 */
export async function readNewestEvents(
  { database, cursors }: Needs<'cursors' | 'database'>,
  { tenant }: Caller,
  query: Omit<EventLogQuery, 'limit'> & { readonly until?: string },
): Promise<{ items: readonly ListedEvent[]; next_cursor: string | null }> {
  requireValid(validateQuery(query))
  const { since, until, cursor } = query
  const filter = toEventFilter(tenant.id, query)
  const before = cursor === undefined ? undefined : cursors.decode(newestName, cursor)
  if (cursor !== undefined && before === undefined) throw foreignCursor('/cursor')
  const sinceMs = since === undefined ? undefined : Date.parse(since)
  const { events, next } = await listNewestEvents(database, filter, {
    before,
    sinceMs,
    untilMs: until === undefined ? undefined : Date.parse(until),
    take: newestTake,
  })
  return { items: events, next_cursor: next === null ? null : cursors.encode(newestName, next) }
}

function startOf(cursors: Cursors, { cursor, since }: EventLogQuery): EventLogStart {
  if (cursor !== undefined && since !== undefined) {
    throw validationFailed({ pointer: '/since', message: 'must not be combined with cursor' })
  }
  if (since !== undefined) return { sinceMs: Date.parse(since) }
  if (cursor === undefined) return undefined
  // Readers store cursors, also those of version 1.0.0.
  const position = cursors.decode(logName, cursor) ?? decodePlainCursor(logName, cursor)
  const parsed = parseCursor(position ?? '')
  if (!parsed) throw foreignCursor('/cursor')
  return { cursor: parsed }
}

/** Reads patterns that are separated by commas. */
function readPatterns(text: string): string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim())
  if (patterns.length > filterPatternsMax) {
    throw validationFailed({
      pointer: '/types',
      message: `must be at most ${filterPatternsMax} patterns`,
    })
  }
  if (new Set(patterns).size < patterns.length) {
    throw validationFailed({ pointer: '/types', message: 'must not repeat a pattern' })
  }
  const wrong = patterns.find((pattern) => !isEventPattern(pattern))
  if (wrong === undefined) return patterns
  throw validationFailed({
    pointer: '/types',
    message: `must be patterns, separated by commas: ${wrong === '' ? 'one is empty' : `${wrong} is none`}`,
  })
}

const formatCursor = ({ logId, position, fromMs, since }: EventLogCursor): string =>
  [logId, position, fromMs, ...(since ? [since.createdMs, since.untilPosition] : [])].join('.')

const cursorPattern = /^([0-9a-f]{8})\.(\d{1,18})\.(\d{1,15})(?:\.(-?\d{1,15})\.(\d{1,18}))?$/

/** The times that a request can name: the years 0000 to 9999. */
const [earliestMs, latestMs] = [
  Date.parse('0000-01-01T00:00:00Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
]

function parseCursor(text: string): EventLogCursor | undefined {
  const match = cursorPattern.exec(text)
  if (!match) return undefined
  const [, logId, position, fromMs, createdMs, untilPosition] = match
  if (Number(fromMs) > latestMs) return undefined
  if (
    createdMs !== undefined &&
    !(Number(createdMs) >= earliestMs && Number(createdMs) <= latestMs)
  ) {
    return undefined
  }
  return {
    logId: logId!,
    position: position!,
    fromMs: Number(fromMs),
    since:
      createdMs === undefined
        ? undefined
        : { createdMs: Number(createdMs), untilPosition: untilPosition! },
  }
}
