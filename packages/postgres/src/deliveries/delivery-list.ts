import { currentTimeMs } from '@hosting/core/clock'
import { timeOfUuidv7 } from '@hosting/core/ids'
import type { Database } from '../database/database.ts'
import { withLastAttempts, type DeliveryRow, type SelectedDelivery } from './deliveries.ts'
import {
  binder,
  columnConditions,
  indexedColumn,
  isOfIndex,
  rangeOf,
  stateConditions,
  type Bind,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { readSelected, selectDeliveries, statusOf } from './delivery-select.ts'
import type { Found } from './delivery-sources.ts'
import { withExpectedStarts } from './expected-starts.ts'
import { isOfFailure, readFailed } from './failed-deliveries.ts'
import { selectQueueIds, type QueueStatus } from './queue-list.ts'
import { searchDeliveries } from './search-deliveries.ts'

/** A page of deliveries, newest first. */
export interface DeliveryPage {
  readonly rows: DeliveryRow[]
  /** The last delivery examined, if the search stopped before the page was full. */
  readonly examinedTo: string | undefined
}

const dayMs = 86_400_000
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
  const { rows, examinedTo } = await findPage(database, filter, page, examined)
  const scheduled = await withExpectedStarts(database, rows)
  return { rows: await withLastAttempts(database, scheduled), examinedTo }
}

async function findPage(
  database: Database,
  filter: DeliveryFilter,
  page: DeliveryRange,
  examined: number,
): Promise<Found> {
  const { status, eventId, search } = filter
  if (search !== undefined) return await searchDeliveries(database, { ...filter, search }, page)
  if (eventId !== undefined) return { rows: await readAll(database, filter, page) }
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

/** The conditions that an index covers: one column, or dead deliveries, and the span. */
function indexConditions(filter: DeliveryFilter, page: DeliveryRange, bind: Bind): string[] {
  const { tenantId, status, objectId, accountId } = filter
  const isOfDead = status === 'dead' && objectId === undefined && accountId === undefined
  const column = isOfDead ? 'endpointId' : indexedColumn(filter)
  return [
    `d.tenant_id = ${bind(tenantId)}`,
    ...(column === undefined ? [] : columnConditions(filter, bind, [column])),
    ...(isOfDead ? ['d.dead'] : []),
    ...rangeOf(filter, page, bind).map((bound) => `d.id ${bound}`),
  ]
}

/** Reads a page through an index, or the deliveries of an event. */
async function readAll(
  { pool }: Database,
  filter: DeliveryFilter,
  page: DeliveryRange,
): Promise<SelectedDelivery[]> {
  const { values, bind } = binder()
  const { tenantId, eventId } = filter
  const conditions =
    eventId === undefined
      ? indexConditions(filter, page, bind)
      : [
          `d.tenant_id = ${bind(tenantId)}`,
          isOfEvent(bind(tenantId), bind(eventId)),
          ...columnConditions(filter, bind),
          ...stateConditions(filter, bind),
          ...rangeOf(filter, page, bind).map((bound) => `d.id ${bound}`),
        ]
  const rows = await readSelected(
    pool,

    `${selectDeliveries()} WHERE ${conditions.join(' AND ')} ORDER BY d.id DESC LIMIT ${page.take}`,
    values,
  )
  return rows
}

/**
 * Finds an event by its public id. That is our own id, or the id that the publisher gave, which is mapped
 * to ours.
 */
const isOfEvent = (tenantId: string, eventId: string): string => `d.event_id = ${eventId}
  AND d.event_ref = ANY (ARRAY[${eventId}::uuid, (SELECT event_ref FROM published_event_ids
    WHERE tenant_id = ${tenantId} AND event_id = ${eventId})])`

/**
 * Examines deliveries in index order, up to a limit, and returns those that match the rest of the filter.
 */
async function searchNewest(
  { pool }: Database,
  filter: DeliveryFilter,
  page: DeliveryRange,
  examined: number,
): Promise<Found> {
  const { values, bind } = binder()
  const candidates = `SELECT * FROM deliveries d
    WHERE ${indexConditions(filter, page, bind).join(' AND ')} ORDER BY d.id DESC`
  const indexed = [...values]
  const conditions = [...columnConditions(filter, bind), ...stateConditions(filter, bind)]
  const rows = await readSelected(
    pool,

    `${selectDeliveries(`(${candidates} LIMIT ${examined})`)}
     WHERE ${conditions.join(' AND ')} ORDER BY d.id DESC LIMIT ${page.take}`,
    values,
  )
  if (rows.length === page.take) return { rows }
  const last = await pool.query<{ id: string }>(
    `SELECT id FROM (${candidates} OFFSET ${examined - 1} LIMIT 1) AS d`,
    indexed,
  )
  return { rows, examinedTo: last.rows[0]?.id }
}

/**
 * Reads a page by a status that the queue or the index of dead deliveries covers. A delivery whose status
 * changes between the two statements is omitted.
 */
async function readByStatus(
  { pool }: Database,
  { status, ...filter }: DeliveryFilter & { readonly status: QueueStatus },
  page: DeliveryRange,
): Promise<Found> {
  const { values, bind } = binder()
  const { tenantId, endpointId } = filter
  const unfinished = selectQueueIds(status, {
    tenant: bind(tenantId),
    endpoint: endpointId === undefined ? undefined : bind(endpointId),
    range: rangeOf(filter, page, bind),
    take: page.take,
  })
  const ended = (): string => `SELECT d.id FROM deliveries d
    WHERE ${indexConditions({ ...filter, status }, page, bind).join(' AND ')}
    ORDER BY d.id DESC LIMIT ${page.take}`
  const source = status === 'dead' ? `(${unfinished}) UNION (${ended()})` : unfinished
  const { rows: ids } = await pool.query<{ id: string }>(
    `SELECT id FROM (${source}) AS found ORDER BY id DESC LIMIT ${page.take}`,
    values,
  )
  const rows = await readSelected(
    pool,

    `${selectDeliveries()} WHERE d.id = ANY ($1::uuid[]) AND ${statusOf} = $2 ORDER BY d.id DESC`,
    [ids.map(({ id }) => id), status],
  )
  const isCut = ids.length === page.take && rows.length < page.take
  return { rows, examinedTo: isCut ? ids.at(-1)?.id : undefined }
}
