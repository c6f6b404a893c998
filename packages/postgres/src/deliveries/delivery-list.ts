import { currentTimeMs, lowestUuidv7, timeOfUuidv7, type DeliveryStatus } from '@hosting/core'
import type { Database } from '../database/database.ts'
import { withLastAttempts, type DeliveryRow, type SelectedDelivery } from './deliveries.ts'
import { selectDeliveries, statusOf } from './delivery-select.ts'
import { withExpectedStarts } from './expected-starts.ts'
import { selectQueueIds, type QueueStatus } from './queue-list.ts'

/**
 * The filters of a list of deliveries. Times are Unix milliseconds; `sinceMs` is inclusive, `untilMs` is
 * exclusive.
 */
export interface DeliveryFilter {
  readonly tenantId: string
  readonly endpointId?: string | undefined
  readonly status?: DeliveryStatus | undefined
  readonly eventType?: string | undefined
  readonly eventId?: string | undefined
  /** The id of a delivery or of an event. */
  readonly eitherId?: string | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

/** A part of a list: at most `take` deliveries before an id. */
interface Page {
  readonly beforeId: string | undefined
  readonly take: number
}

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
  page: Page,
  examined: number = examinedMax,
): Promise<DeliveryPage> {
  const { rows, examinedTo } = await findPage(database, filter, page, examined)
  const scheduled = await withExpectedStarts(database, rows)
  return { rows: await withLastAttempts(database, scheduled), examinedTo }
}

interface Found {
  readonly rows: SelectedDelivery[]
  readonly examinedTo?: string | undefined
}

async function findPage(
  database: Database,
  filter: DeliveryFilter,
  page: Page,
  examined: number,
): Promise<Found> {
  const { status, eventType, eventId, eitherId } = filter
  const isNarrow = eventId !== undefined || eitherId !== undefined
  if (status !== undefined && status !== 'succeeded' && !isNarrow && eventType === undefined) {
    return readByStatus(database, { ...filter, status }, page)
  }
  if (isNarrow) return { rows: await readAll(database, filter, page) }
  const isOfIndex =
    status === undefined && (eventType === undefined || filter.endpointId === undefined)
  if (!isOfIndex) return search(database, filter, page, examined)
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
function recentSince(
  { eventType, sinceMs = 0, untilMs }: DeliveryFilter,
  { beforeId }: Page,
): number | undefined {
  if (eventType !== undefined) return undefined
  const endMs = Math.min(
    currentTimeMs(),
    untilMs ?? Infinity,
    beforeId === undefined ? Infinity : timeOfUuidv7(beforeId),
  )
  const recentMs = endMs - recentDays * dayMs
  return recentMs > sinceMs ? recentMs : undefined
}

/** Collects the values of a statement. */
function binder() {
  const values: unknown[] = []
  return { values, bind: (value: unknown): string => `$${values.push(value)}` }
}

type Bind = (value: unknown) => string

/** The bounds of the ids, from the filter's span and the page. */
const rangeOf = (
  { sinceMs, untilMs }: DeliveryFilter,
  { beforeId }: Page,
  bind: Bind,
): string[] => [
  ...(sinceMs === undefined ? [] : [`>= ${bind(lowestUuidv7(sinceMs))}`]),
  ...(untilMs === undefined ? [] : [`< ${bind(lowestUuidv7(untilMs))}`]),
  ...(beforeId === undefined ? [] : [`< ${bind(beforeId)}`]),
]

/**
 * The conditions that an index covers: the organization or endpoint, the event type, dead deliveries, and
 * the span.
 */
function indexConditions(filter: DeliveryFilter, page: Page, bind: Bind): string[] {
  const { tenantId, endpointId, eventType, status } = filter
  return [
    `d.tenant_id = ${bind(tenantId)}`,
    ...(endpointId === undefined ? [] : [`d.endpoint_id = ${bind(endpointId)}`]),
    ...(eventType === undefined || endpointId !== undefined || status === 'dead'
      ? []
      : [`d.event_type = ${bind(eventType)}`]),
    ...(status === 'dead' ? ['d.dead'] : []),
    ...rangeOf(filter, page, bind).map((bound) => `d.id ${bound}`),
  ]
}

/** Reads a page through an index, or by a filter on ids that matches few deliveries. */
async function readAll(
  { pool }: Database,
  filter: DeliveryFilter,
  page: Page,
): Promise<SelectedDelivery[]> {
  const { values, bind } = binder()
  const { tenantId, eventId, eitherId, status, eventType } = filter
  const isNarrow = eventId !== undefined || eitherId !== undefined
  const conditions = isNarrow
    ? [
        ...indexConditions({ ...filter, status: undefined }, page, bind),
        ...(eventId === undefined ? [] : [isOfEvent(bind(tenantId), bind(eventId))]),
        ...(eitherId === undefined ? [] : [isEither(bind(tenantId), bind(eitherId))]),
        ...(eventType === undefined ? [] : [`d.event_type = ${bind(eventType)}`]),
        ...(status === undefined ? [] : [`${statusOf} = ${bind(status)}`]),
      ]
    : indexConditions(filter, page, bind)
  const { rows } = await pool.query<SelectedDelivery>(
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

/** The delivery with this id, or every delivery of the event with this id. */
const isEither = (tenantId: string, id: string): string => `d.id IN (
  SELECT ${id}::uuid UNION ALL SELECT d.id FROM deliveries d WHERE ${isOfEvent(tenantId, id)})`

/**
 * Examines deliveries in index order, up to a limit, and returns those that match the rest of the filter.
 */
async function search(
  { pool }: Database,
  filter: DeliveryFilter,
  page: Page,
  examined: number,
): Promise<Found> {
  const { values, bind } = binder()
  const { status, eventType } = filter
  const candidates = `SELECT * FROM deliveries d
    WHERE ${indexConditions(filter, page, bind).join(' AND ')} ORDER BY d.id DESC`
  const indexed = [...values]
  const conditions = [
    ...(eventType === undefined ? [] : [`d.event_type = ${bind(eventType)}`]),
    ...(status === undefined ? [] : [`${statusOf} = ${bind(status)}`]),
    // Applied before any join.
    ...(status === 'succeeded' ? [`d.outcome = 'succeeded'`] : []),
  ]
  const { rows } = await pool.query<SelectedDelivery>(
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
  page: Page,
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
  const { rows } = await pool.query<SelectedDelivery>(
    `${selectDeliveries()} WHERE d.id = ANY ($1::uuid[]) AND ${statusOf} = $2 ORDER BY d.id DESC`,
    [ids.map(({ id }) => id), status],
  )
  const isCut = ids.length === page.take && rows.length < page.take
  return { rows, examinedTo: isCut ? ids.at(-1)?.id : undefined }
}
