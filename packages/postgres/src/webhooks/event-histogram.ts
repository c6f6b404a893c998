import { lowestUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run, type Values } from '../database/statement.ts'
import { countedMax, type HistogramSpans } from '../deliveries/delivery-histogram.ts'
import { bySubject, isOfSubject, patternsOf, positionStatement } from './event-log-statements.ts'
import { logSlackMs, type EventLogFilter } from './event-log.ts'

const { bigint, int, listOf, notNull, nullable, text, time, uuid } = types

/** The events of a log over time. */
export interface EventHistogram {
  /** The number of events for each start, in their order. */
  readonly events: readonly number[]
  /** Whether all events were counted. Otherwise the newest of them were. */
  readonly isComplete: boolean
}

/** A span in Unix ms: `sinceMs` is inclusive, `untilMs` is exclusive. */
interface Span {
  readonly sinceMs: number
  readonly untilMs: number
}

/** How many events a statement examines. */
const examinedMax = 50_000

/**
 * Counts the events of the log by the time of their creation. Without filters, and by those that an index covers, it counts
 * all, unless that takes too long; by others up to a limit. The newest are counted first, and those of the span that were
 * accepted only after it at the end: a publisher may choose the time.
 */
export async function countEventsOverTime(
  { pool }: Pick<Database, 'pool'>,
  filter: EventLogFilter & Span,
  { startsMs, msMax, countedMax: most = countedMax }: HistogramSpans,
): Promise<EventHistogram> {
  const { tenantId, sinceMs, untilMs, types: patterns, objectId, accountId } = filter
  const endsAt = performance.now() + msMax
  const isCovered = patterns === undefined && (objectId === undefined || accountId === undefined)
  const events = startsMs.map(() => 0)
  const values = {
    tenantId,
    lowestId: lowestUuidv7(Math.max(sinceMs - 2 * logSlackMs, 0)),
    objectId: objectId ?? null,
    accountId: accountId ?? null,
    patterns: patterns ?? ['*'],
    since: new Date(sinceMs),
    until: new Date(untilMs),
    starts: startsMs.map((startMs) => new Date(startMs)),
  }
  const counting = { events, endsAt, left: isCovered ? Infinity : most }
  for (const part of await findParts({ pool }, tenantId, { sinceMs, untilMs })) {
    if (!(await countPart({ pool }, values, { part, counting }))) {
      return { events, isComplete: false }
    }
  }
  return { events, isComplete: true }
}

/** Counts the events of a part of the log. Returns whether it has counted all. */
async function countPart(
  { pool }: Pick<Database, 'pool'>,
  values: Omit<Values<typeof countStatement.takes>, 'after' | 'before' | 'examined'>,
  {
    part: { after, before },
    counting,
  }: { part: LogPart; counting: { readonly events: number[]; endsAt: number; left: number } },
): Promise<boolean> {
  for (let to = before; ;) {
    const examined = Math.min(examinedMax, counting.left)
    const rows = await run(pool, countStatement, { ...values, after, before: to, examined })
    for (const { bucket, matching } of rows.filter((row) => row.matching > 0)) {
      counting.events[bucket] = counting.events[bucket]! + matching
      counting.left -= matching
    }
    if (rows.reduce((sum, row) => sum + row.examined, 0) < examined) return true
    if (counting.left === 0 || performance.now() > counting.endsAt) return false
    to = rows
      .map(({ last }) => BigInt(last))
      .reduce(lower)
      .toString()
  }
}

const lower = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** A part of the log: the positions between two others. */
interface LogPart {
  readonly after: string
  readonly before: string
}

const highestPosition = '9223372036854775807'

/** The parts of the log with events of a span: what was accepted in it, and then what was accepted later. */
async function findParts(
  { pool }: Pick<Database, 'pool'>,
  tenantId: string,
  { sinceMs, untilMs }: Span,
): Promise<readonly LogPart[]> {
  const positionAt = async (atMs: number) => {
    const from = new Date(Math.max(atMs, 0))
    return (await run(pool, positionStatement, { tenantId, from }))[0]!.before
  }
  const after = await positionAt(sinceMs - logSlackMs)
  if (after === null) return []
  const end = await positionAt(untilMs + logSlackMs)
  if (end === null) return [{ after, before: highestPosition }]
  return [
    { after, before: String(BigInt(end) + 1n) },
    { after: end, before: highestPosition },
  ]
}

/**
 * Returns the numbers of the newest events of a part of the log by span: those examined, those that match the filter, and the
 * last position examined. Locks nothing.
 */
const countStatement = defineStatement({
  name: 'count-events-over-time',
  takes: {
    tenantId: uuid,
    after: bigint,
    before: bigint,
    lowestId: uuid,
    objectId: nullable(text),
    accountId: nullable(text),
    patterns: listOf(text),
    since: time,
    until: time,
    starts: listOf(time),
    examined: int,
  },
  gives: {
    bucket: notNull(int, 'of values that are not null'),
    examined: notNull(int, 'count'),
    matching: notNull(int, 'count'),
    last: notNull(bigint, 'the least of a group'),
  },
  sql: `
    SELECT width_bucket(created_at, :starts) - 1 AS bucket, count(*)::int AS examined,
      count(*) FILTER (
        WHERE ${isOfSubject} AND created_at >= :since AND created_at < :until AND ${patternsOf('type')} && :patterns
      )::int AS matching,
      min(position) AS last
    FROM (
      SELECT tenant_id, type, created_at, object_id, account_id, position FROM events
      WHERE position > :after AND position < :before AND id >= :lowestId AND ${bySubject}
      ORDER BY position DESC LIMIT :examined
    ) candidate
    GROUP BY 1`,
})
