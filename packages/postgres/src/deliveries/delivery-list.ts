import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { timeOfUuidv7 } from '@hosting/core/ids'
import { types, type ColumnType } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { withLastAttempts, type DeliveryRow } from './deliveries.ts'
import {
  columnCondition,
  columnConditions,
  columnParameters,
  indexedColumn,
  isOfIndex,
  lowered,
  spanParameters,
  stateConditions,
  stateParameters,
  toValues,
  withinSpan,
  type ColumnFilter,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { deliveryTypes, selectDeliveries, statusOf } from './delivery-select.ts'
import type { Found } from './delivery-sources.ts'
import { withExpectedStarts } from './expected-starts.ts'
import { isOfFailure, readFailed } from './failed-deliveries.ts'
import { queueParameters, selectQueueIds, type QueueStatus } from './queue-list.ts'
import { searchDeliveries } from './search-deliveries.ts'

const { int, listOf, named, notNull, uuid } = types

/** A page of deliveries, newest first. */
export interface DeliveryPage {
  readonly rows: DeliveryRow[]
  /** The last delivery examined, if the search stopped before the page was full. */
  readonly examinedTo: string | undefined
}

/** The number of recent days in which a page is first searched. */
const recentDays = 2

/** The most deliveries examined for a page whose filter no index covers. */
const examinedMax = 5_000

/**
 * Returns a page of deliveries, newest first: those before `beforeId`. The cost of a page is limited: if
 * few of many deliveries match the filter, the page is not full, and `examinedTo` is the position to
 * continue from.
 *
 * @param examined - the most deliveries to examine. For tests.
 */
export async function listDeliveries(
  database: Database,
  filter: DeliveryFilter,
  page: DeliveryRange,
  examined: number = examinedMax,
): Promise<DeliveryPage> {
  const { rows, examinedTo } = await findDeliveries(database, filter, page, examined)
  const scheduled = await withExpectedStarts(database, rows)
  return { rows: await withLastAttempts(database, scheduled), examinedTo }
}

/** Finds a page like {@link listDeliveries}, without the last attempts and the expected starts. */
export async function findDeliveries(
  database: Database,
  filter: DeliveryFilter,
  page: DeliveryRange,
  examined: number = examinedMax,
): Promise<Found> {
  const { status, eventId, search } = filter
  if (search !== undefined) return await searchDeliveries(database, { ...filter, search }, page)
  if (eventId !== undefined) return { rows: await readOfEvent(database, filter, eventId, page) }
  if (isOfFailure(filter)) return await readFailed(database, filter, page)
  if (status !== undefined && status !== 'succeeded' && isOfQueue(filter)) {
    return readByStatus(database, { ...filter, status }, page)
  }
  if (!isOfIndex(filter)) return searchNewest(database, filter, page, examined)
  const sinceMs = recentSince(filter, page)
  if (sinceMs === undefined) return { rows: await readAll(database, filter, page) }
  const recent = await readAll(database, { ...filter, sinceMs }, page)
  const take = page.take - recent.length
  if (take === 0) return { rows: recent }
  const earlier = await readAll(database, { ...filter, untilMs: sinceMs }, { ...page, take })
  return { rows: [...recent, ...earlier] }
}

/**
 * Returns the time since which a page is likely to be full: for most pages, one or two days suffice.
 * PostgreSQL then plans only for the partitions of those days, which takes a fraction of planning for
 * all. `undefined`: search all partitions immediately, because the filter matches few deliveries or its
 * span is short.
 */
function recentSince(filter: DeliveryFilter, { beforeId }: DeliveryRange): number | undefined {
  const { endpointId, sinceMs = 0, untilMs } = filter
  if (endpointId === undefined && indexedColumn(filter) !== undefined) return undefined
  const endMs = Math.min(
    currentTimeMs(),
    untilMs ?? Infinity,
    beforeId === undefined ? Infinity : timeOfUuidv7(beforeId),
  )
  const recentMs = endMs - recentDays * dayMs
  return recentMs > sinceMs ? recentMs : undefined
}

/** Whether the filter has no more than an organization or endpoint, a status and a span. */
const isOfQueue = ({ eventType, objectId, accountId }: DeliveryFilter): boolean =>
  [eventType, objectId, accountId].every((value) => value === undefined)

const listParameters = { tenantId: uuid, ...columnParameters, ...spanParameters, take: int }

/** Reads a page of the deliveries of an event. */
const readOfEvent = (
  { pool }: Database,
  filter: DeliveryFilter,
  eventId: string,
  page: DeliveryRange,
) => run(pool, ofEventStatement, { ...toValues(filter, page), eventId })

/**
 * Gives a page of the deliveries of an event that match the filter, newest first. The event's public id is our own id, or
 * the id that the publisher gave, which is mapped to ours. It locks nothing.
 */
const ofEventStatement = defineStatement({
  name: 'list-deliveries-of-event',
  takes: { ...listParameters, ...stateParameters, eventId: uuid },
  gives: deliveryTypes,
  sql: `
    ${selectDeliveries()}
    WHERE d.tenant_id = :tenantId AND d.event_id = :eventId
      AND d.event_ref = ANY (ARRAY[:eventId, (SELECT event_ref FROM published_event_ids
        WHERE tenant_id = :tenantId AND event_id = :eventId)])
      AND ${columnConditions} AND ${stateConditions} AND ${withinSpan('d.id')}
    ORDER BY d.id DESC LIMIT :take`,
})

/** An index of deliveries by which a list is read: of an organization, of its dead deliveries, or of a column. */
type ListIndex = 'tenant' | 'dead' | ColumnFilter

const indexConditions: Readonly<Record<ListIndex, string>> = {
  tenant: 'true',
  dead: `d.dead AND ${columnCondition.endpointId}`,
  ...columnCondition,
  // The index ignores case. The planner knows how many deliveries this finds, and not how many it finds with a second
  // condition on the same column.
  objectId: `${lowered('d.object_id')} = ${lowered(':objectId')}`,
}

const indexParameters: Readonly<Record<ListIndex, Record<string, ColumnType<string | null>>>> = {
  tenant: {},
  dead: { endpointId: columnParameters.endpointId },
  endpointId: { endpointId: columnParameters.endpointId },
  eventType: { eventType: columnParameters.eventType },
  objectId: { objectId: columnParameters.objectId },
  accountId: { accountId: columnParameters.accountId },
}

function indexOf(filter: DeliveryFilter): ListIndex {
  const { status, objectId, accountId } = filter
  if (status === 'dead' && objectId === undefined && accountId === undefined) return 'dead'
  return indexedColumn(filter) ?? 'tenant'
}

/** The deliveries of an index in its order, newest first. */
const candidatesBy = (index: ListIndex): string => `
  FROM deliveries d
  WHERE d.tenant_id = :tenantId AND ${indexConditions[index]} AND ${withinSpan('d.id')}
  ORDER BY d.id DESC`

/**
 * Gives a page of those of the newest deliveries of an index that match the filter, newest first. It locks nothing.
 *
 * @param index - by which the deliveries to examine are found, whose number is limited.
 */
const defineNewest = (index: ListIndex) =>
  defineStatement({
    name: `list-newest-deliveries-by-${index}`,
    takes: { ...listParameters, ...stateParameters, examined: int },
    gives: deliveryTypes,
    sql: `
      ${selectDeliveries(`(SELECT * ${candidatesBy(index)} LIMIT :examined)`)}
      WHERE ${columnConditions} AND ${stateConditions} ORDER BY d.id DESC LIMIT :take`,
  })

/** Gives the last of the deliveries that a page was searched in, if there are more. */
const defineLastExamined = (index: ListIndex) =>
  defineStatement({
    name: `find-last-examined-by-${index}`,
    takes: { tenantId: uuid, ...spanParameters, ...indexParameters[index], examined: int },
    gives: { id: uuid },
    sql: `SELECT d.id ${candidatesBy(index)} OFFSET :examined - 1 LIMIT 1`,
  })

const indexes = Object.keys(indexConditions) as ListIndex[]
const newestStatements = new Map(indexes.map((index) => [index, defineNewest(index)]))
const lastExaminedStatements = new Map(indexes.map((index) => [index, defineLastExamined(index)]))

/** Reads a page of a filter that an index covers, so that every delivery examined is one of the page. */
const readAll = ({ pool }: Database, filter: DeliveryFilter, page: DeliveryRange) =>
  run(pool, newestStatements.get(indexOf(filter))!, {
    ...toValues(filter, page),
    examined: page.take,
  })

/**
 * Examines deliveries in index order, up to a limit, and returns those that match the rest of the filter. First only a
 * few: many filters match most deliveries, such as those of an object.
 */
async function searchNewest(
  database: Database,
  filter: DeliveryFilter,
  page: DeliveryRange,
  examined: number,
): Promise<Found> {
  const few = Math.min(examined, 2 * page.take)
  const first = await examineNewest(database, filter, page, few)
  if (first.examinedTo === undefined || few === examined) return first
  const rest = { beforeId: first.examinedTo, take: page.take - first.rows.length }
  const { rows, examinedTo } = await examineNewest(database, filter, rest, examined - few)
  return { rows: [...first.rows, ...rows], examinedTo }
}

async function examineNewest(
  { pool }: Database,
  filter: DeliveryFilter,
  page: DeliveryRange,
  examined: number,
): Promise<Found> {
  const index = indexOf(filter)
  const values = { ...toValues(filter, page), examined }
  const rows = await run(pool, newestStatements.get(index)!, values)
  if (rows.length === page.take) return { rows }
  const [last] = await run(pool, lastExaminedStatements.get(index)!, values)
  return { rows, examinedTo: last?.id }
}

/**
 * Gives the ids of a page of unfinished deliveries with a status, newest first, and of the dead deliveries. It locks
 * nothing.
 */
const defineQueue = (status: QueueStatus) =>
  defineStatement({
    name: `list-queue-${status}`,
    takes: queueParameters,
    gives: { id: status === 'dead' ? notNull(uuid, 'of either table') : uuid },
    sql:
      status === 'dead'
        ? `SELECT id FROM (
             (${selectQueueIds('dead')}) UNION (SELECT d.id ${candidatesBy('dead')} LIMIT :take)
           ) AS found ORDER BY id DESC LIMIT :take`
        : selectQueueIds(status),
  })

const queueStatements: Readonly<Record<QueueStatus, ReturnType<typeof defineQueue>>> = {
  queued: defineQueue('queued'),
  in_flight: defineQueue('in_flight'),
  waiting_retry: defineQueue('waiting_retry'),
  waiting_endpoint: defineQueue('waiting_endpoint'),
  dead: defineQueue('dead'),
}

/** Gives those of the deliveries that have a status, newest first. It locks nothing. */
const withStatusStatement = defineStatement({
  name: 'list-deliveries-with-status',
  takes: { ids: listOf(uuid), status: named<QueueStatus>('text') },
  gives: deliveryTypes,
  sql: `${selectDeliveries()} WHERE d.id = ANY (:ids) AND ${statusOf} = :status ORDER BY d.id DESC`,
})

/**
 * Reads a page by a status that the queue or the index of dead deliveries covers. A delivery whose status
 * changes between the two statements is omitted.
 */
async function readByStatus(
  { pool }: Database,
  { status, ...filter }: DeliveryFilter & { readonly status: QueueStatus },
  page: DeliveryRange,
): Promise<Found> {
  const found = await run(pool, queueStatements[status], toValues(filter, page))
  const ids = found.map(({ id }) => id)
  const rows = await run(pool, withStatusStatement, { ids, status })
  const isCut = ids.length === page.take && rows.length < page.take
  return { rows, examinedTo: isCut ? ids.at(-1) : undefined }
}
