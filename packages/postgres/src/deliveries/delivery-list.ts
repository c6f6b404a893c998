import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { withLastAttempts, type DeliveryRow } from './deliveries.ts'
import {
  columnConditions,
  columnParameters,
  isUnfiltered,
  spanParameters,
  stateConditions,
  stateParameters,
  toValues,
  withinSpan,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import {
  deliveriesById,
  deliveryTypes,
  idParameters,
  selectDeliveries,
  statusOf,
  toIdValues,
} from './delivery-select.ts'
import type { Found } from './delivery-sources.ts'
import { withExpectedStarts } from './throttle.ts'
import { isOfFailure, readFailed } from './failed-deliveries.ts'
import { examinedMax, finishedBy, readFilteredDeliveries } from './filtered-deliveries.ts'
import { readNewest } from './newest-deliveries.ts'
import { queueParameters, selectQueueIds, type QueueStatus } from './queue-list.ts'
import { searchDeliveries } from './search-deliveries.ts'

const { int, named, notNull, uuid } = types

/** A page of deliveries, newest first. */
export interface DeliveryPage {
  readonly rows: DeliveryRow[]
  /** The last delivery examined, if the search stopped before the page was full. */
  readonly examinedTo: string | undefined
}

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
  if (isUnfiltered(filter)) return { rows: await readNewest(database, filter, page) }
  return await readFilteredDeliveries(database, filter, page, examined)
}

/** Whether the filter has no more than an organization or endpoint, a status and a span. */
const isOfQueue = ({ eventType, objectId, accountId }: DeliveryFilter): boolean =>
  [eventType, objectId, accountId].every((value) => value === undefined)

/** Reads a page of the deliveries of an event. */
const readOfEvent = (
  { pool }: Database,
  filter: DeliveryFilter,
  eventId: string,
  page: DeliveryRange,
) => run(pool, ofEventStatement, { ...toValues(filter, page), eventId })

/**
 * Returns a page of the deliveries of an event that match the filter, newest first. The event's public id is our own id, or
 * the id that the publisher gave, which is mapped to ours. Locks nothing.
 */
const ofEventStatement = defineStatement({
  name: 'list-deliveries-of-event',
  takes: {
    tenantId: uuid,
    ...columnParameters,
    ...spanParameters,
    ...stateParameters,
    take: int,
    eventId: uuid,
  },
  gives: deliveryTypes,
  sql: `
    ${selectDeliveries()}
    WHERE d.tenant_id = :tenantId AND d.event_id = :eventId
      AND d.event_ref = ANY (ARRAY[:eventId, (SELECT event_ref FROM published_event_ids
        WHERE tenant_id = :tenantId AND event_id = :eventId)])
      AND ${columnConditions} AND ${stateConditions} AND ${withinSpan('d.id')}
    ORDER BY d.id DESC LIMIT :take`,
})

/**
 * Returns the ids of a page of unfinished deliveries with a status, newest first, and of the dead deliveries. Locks
 * nothing.
 */
const defineQueue = (status: QueueStatus) =>
  defineStatement({
    name: `list-queue-${status}`,
    takes: queueParameters,
    gives: { id: notNull(uuid, 'the key of either table') },
    sql:
      status === 'dead'
        ? `SELECT id FROM (
             (${selectQueueIds('dead')}) UNION (SELECT id FROM (${finishedBy('dead')} LIMIT :take) d)
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

/** Returns those of the deliveries that have a status, newest first. Locks nothing. */
const withStatusStatement = defineStatement({
  name: 'list-deliveries-with-status',
  takes: { ...idParameters, status: named<QueueStatus>('text') },
  gives: deliveryTypes,
  sql: `${selectDeliveries(deliveriesById)} WHERE ${statusOf} = :status ORDER BY d.id DESC`,
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
  if (ids.length === 0) return { rows: [] }
  const rows = await run(pool, withStatusStatement, { ...toIdValues(ids), status })
  const isCut = ids.length === page.take && rows.length < page.take
  return { rows, examinedTo: isCut ? ids.at(-1) : undefined }
}
