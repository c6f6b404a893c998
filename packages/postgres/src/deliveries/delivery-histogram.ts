import { lowestUuidv7, timeOfUuidv7 } from '@hosting/core/ids'
import type { DeliveryStatus } from '@hosting/core/webhooks'
import { ifGiven } from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import {
  columnCondition,
  columnConditions,
  columnParameters,
  indexedBy,
  queuedDeliveries,
  spanParameters,
  stateConditions,
  stateParameters,
  toValues,
  withinSpan,
  type DeliveryFilter,
} from './delivery-filter.ts'
import { deliveryTables, statusOf } from './delivery-select.ts'
import { findMatching } from './matching-deliveries.ts'
import { newestOfQueue, ofTenant } from './queue-list.ts'

const { int, listOf, named, notNull, text, uuid } = types

/** The deliveries that were created in a span of time. */
export interface DeliveryBucket {
  readonly succeeded: number
  readonly dead: number
  /** Those that are unfinished. */
  readonly open: number
}

/** Deliveries over time. */
export interface DeliveryHistogram {
  /** One for each start, in their order. */
  readonly buckets: readonly DeliveryBucket[]
  /** Whether all deliveries were counted. Otherwise the newest of them were. */
  readonly isComplete: boolean
}

/** The spans of time by which records are counted, and how many may be counted. */
export interface HistogramSpans {
  /** When each span starts, in Unix ms, ascending; the last one ends with the filter's. */
  readonly startsMs: readonly number[]
  /** No further statement starts after this time, in ms. */
  readonly msMax: number
  /** The most records that are counted by filters that no index covers. For tests. */
  readonly countedMax?: number
}

/** The most records that are counted by filters that no index covers. */
export const countedMax = 20_000

/** How many deliveries a statement examines, if an index covers the filter. */
const examinedMax = 50_000

/**
 * Counts deliveries over time, the newest first. By filters that an index covers it counts all, unless that takes too long;
 * by others up to a limit.
 *
 * @param filter - with the span of all buckets.
 */
export async function countDeliveriesOverTime(
  database: Database,
  filter: DeliveryFilter,
  spans: HistogramSpans,
): Promise<DeliveryHistogram> {
  const counts = createCounts(spans.startsMs.length)
  const isComplete = await (isCovered(filter) ? countOfIndex : countOfPages)(database, filter, {
    ...spans,
    counts,
  })
  return { buckets: counts.buckets, isComplete }
}

interface Counting extends HistogramSpans {
  readonly counts: Counts
}

type Counts = ReturnType<typeof createCounts>

function createCounts(length: number) {
  const buckets = Array.from({ length }, () => ({ succeeded: 0, dead: 0, open: 0 }))
  return {
    buckets,
    add(bucket: number, status: DeliveryStatus, count: number): void {
      buckets[bucket]![status === 'succeeded' || status === 'dead' ? status : 'open'] += count
    },
  }
}

/** Whether an index contains the deliveries of a filter, apart from the status, by which they are counted anyway. */
const isCovered = ({ search, eventId, statusCode, errorClass, ...columns }: DeliveryFilter) =>
  [search, eventId, statusCode, errorClass].every((value) => value === undefined) &&
  [columns.endpointId, columns.eventType, columns.objectId, columns.accountId].filter(
    (value) => value !== undefined,
  ).length <= 1

async function countOfIndex(
  { pool }: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  { startsMs, msMax, counts }: Counting,
): Promise<boolean> {
  const starts = startsMs.map(lowestUuidv7)
  const endsAt = performance.now() + msMax
  for (let beforeId: string | undefined; ;) {
    const { take: examined, ...values } = toValues(filter, { beforeId, take: examinedMax })
    const statement = isOfEvents(filter) ? countByEventStatement : countStatement
    const rows = await run(pool, statement, { ...values, examined, starts })
    for (const { bucket, status, matching } of rows) counts.add(bucket, status, matching)
    if (rows.reduce((sum, row) => sum + row.examined, 0) < examined) return true
    if (performance.now() > endsAt) return false
    beforeId = rows.reduce((lowest, { last }) => (last < lowest ? last : lowest), rows[0]!.last)
  }
}

async function countOfPages(
  database: Database,
  filter: DeliveryFilter,
  { startsMs, msMax, counts, countedMax: most = countedMax }: Counting,
): Promise<boolean> {
  const { rows, isComplete } = await findMatching(database, filter, { most, msMax })
  for (const { id, status } of rows) counts.add(bucketOf(startsMs, timeOfUuidv7(id)), status, 1)
  return isComplete
}

/** The last span that starts at or before a time. */
const bucketOf = (startsMs: readonly number[], timeMs: number): number =>
  startsMs.findLastIndex((startMs) => startMs <= timeMs)

/** Whether a filter compares columns of the events. */
const isOfEvents = ({ eventType, objectId, accountId }: DeliveryFilter): boolean =>
  [eventType, objectId, accountId].some((value) => value !== undefined)

/** The unfinished deliveries of an organization or an endpoint, as many of each of its endpoints as are examined. */
const queuedStates = `
  SELECT q.delivery_id, q.tenant_id, q.endpoint_id, NULL::delivery_outcome, q.attempts_made, q.held_until, q.lease_id,
    NULL::integer, NULL::text, NULL::text, NULL::text, NULL::text
  FROM webhook_endpoints e CROSS JOIN (VALUES (0), (1)) AS r (retried)
  CROSS JOIN LATERAL ${newestOfQueue('r.retried', false, 'examined')} q
  WHERE ${ofTenant}`

const stateColumns = 'id, tenant_id, endpoint_id, outcome, attempt_count, held_until, lease_id'
const filteredColumns = 'last_status_code, last_error_class, event_type, object_id, account_id'

/**
 * Returns the numbers of the newest deliveries of an index and of the queue by span and status: those examined, those that
 * match the filter, and the last one examined. Locks nothing.
 *
 * @param finished - the condition by which an index finds the finished deliveries.
 * @param queued - the unfinished deliveries, at least as many of the newest as are examined.
 */
const defineCount = (name: string, finished: string, queued: string) =>
  defineStatement({
    name,
    takes: {
      tenantId: uuid,
      ...columnParameters,
      ...stateParameters,
      ...spanParameters,
      examined: int,
      starts: listOf(uuid),
    },
    gives: {
      bucket: notNull(int, 'of values that are not null'),
      status: notNull(named<DeliveryStatus>('text'), 'has an ELSE'),
      examined: notNull(int, 'count'),
      matching: notNull(int, 'count'),
      last: notNull(text, 'the least of a group'),
    },
    sql: `
      SELECT width_bucket(d.id, :starts) - 1 AS bucket, ${statusOf} AS status, count(*)::int AS examined,
        count(*) FILTER (WHERE d.tenant_id = :tenantId AND ${columnConditions} AND ${stateConditions})::int AS matching,
        min(d.id::text COLLATE "C") AS last
      FROM ${deliveryTables(`(
        (SELECT ${stateColumns}, ${filteredColumns} FROM finished_deliveries d
         WHERE ${finished} AND ${withinSpan('d.id')}
         ORDER BY d.id DESC LIMIT :examined)
        UNION ALL
        ${queued}
        ORDER BY id DESC LIMIT :examined)`)}
      GROUP BY 1, 2`,
  })

const countStatement = defineCount(
  'count-deliveries-over-time',
  `d.tenant_id = :tenantId AND ${columnCondition.endpointId}`,
  queuedStates,
)

const countByEventStatement = defineCount(
  'count-deliveries-over-time-by-event',
  [
    ifGiven('eventType', indexedBy.eventType(':eventType')),
    ifGiven('objectId', indexedBy.objectId(':objectId')),
    ifGiven('accountId', indexedBy.accountId(':accountId')),
  ].join(' AND '),
  `SELECT ${stateColumns}, ${filteredColumns} FROM ${queuedDeliveries('examined')}`,
)
