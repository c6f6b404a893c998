import { currentTimeMs, lowestUuidv7, timeOfUuidv7, type DeliveryStatus } from '@hosting/core'
import type { Database } from './database.ts'
import type { DeliveryRow } from './deliveries.ts'
import { inFlight, selectDeliveries } from './delivery-select.ts'

/** What a list of deliveries is narrowed to. Times are Unix milliseconds; `sinceMs` is inclusive, `untilMs` is not. */
export interface DeliveryFilter {
  readonly tenantId: string
  readonly endpointId?: string | undefined
  readonly status?: DeliveryStatus | undefined
  readonly eventType?: string | undefined
  readonly eventId?: string | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

/** Which page of a list: so many of those before an id. */
interface Page {
  readonly beforeId: string | undefined
  readonly take: number
}

const dayMs = 86_400_000
/** The days that a page is looked for in first. */
const recentDays = 2

/** A page of deliveries, newest first: those before `beforeId`. */
export async function listDeliveries(
  { pool }: Database,
  filter: DeliveryFilter,
  page: Page,
): Promise<DeliveryRow[]> {
  const read = async (narrowed: DeliveryFilter, take: number): Promise<DeliveryRow[]> => {
    const { text, values } = selectPage(narrowed, { ...page, take })
    return (await pool.query<DeliveryRow>(text, values)).rows
  }
  const sinceMs = recentSince(filter, page)
  if (sinceMs === undefined) return read(filter, page.take)
  const recent = await read({ ...filter, sinceMs }, page.take)
  const missing = page.take - recent.length
  return missing === 0
    ? recent
    : [...recent, ...(await read({ ...filter, untilMs: sinceMs }, missing))]
}

/**
 * Since when a page is likely to be filled: most are filled by a day or two. PostgreSQL then plans for
 * the partitions of those days alone, which takes a fraction of planning for all. `undefined`: look at once
 * among all, because the filter leaves few, or its span is short anyway.
 */
function recentSince(
  { status, eventType, eventId, sinceMs = 0, untilMs }: DeliveryFilter,
  { beforeId }: Page,
): number | undefined {
  if (status !== undefined || eventType !== undefined || eventId !== undefined) return undefined
  const endMs = Math.min(
    currentTimeMs(),
    untilMs ?? Infinity,
    beforeId === undefined ? Infinity : timeOfUuidv7(beforeId),
  )
  const recentMs = endMs - recentDays * dayMs
  return recentMs > sinceMs ? recentMs : undefined
}

/** The statuses in SQL, exclusive like those of the select. */
const statusConditions: Record<DeliveryStatus, string> = {
  succeeded: `d.outcome = 'succeeded'`,
  dead: 'd.dead',
  in_flight: inFlight,
  waiting_endpoint: `p.delivery_id IS NOT NULL AND NOT (${inFlight}) AND NOT e.enabled`,
  waiting_retry: `NOT (${inFlight}) AND e.enabled AND p.attempts_made > 0`,
  queued: `NOT (${inFlight}) AND e.enabled AND p.attempts_made = 0`,
}

/** The columns that a page is found and ordered by. */
const ofDeliveries = { id: 'd.id', tenant: 'd.tenant_id', endpoint: 'd.endpoint_id' }
/** The same of the queue, where unfinished ones are looked for: it is small, the records are not. */
const ofQueue = { id: 'p.delivery_id', tenant: 'p.tenant_id', endpoint: 'p.endpoint_id' }

function selectPage(
  { tenantId, endpointId, status, eventType, eventId, sinceMs, untilMs }: DeliveryFilter,
  { beforeId, take }: Page,
): { text: string; values: unknown[] } {
  const column = status && !endedStatuses.has(status) ? ofQueue : ofDeliveries
  const values: unknown[] = []
  const bind = (value: unknown): string => `$${values.push(value)}`
  const conditions = [
    `${column.tenant} = ${bind(tenantId)}`,
    endpointId !== undefined && `${column.endpoint} = ${bind(endpointId)}`,
    eventType !== undefined && `d.event_type = ${bind(eventType)}`,
    eventId !== undefined && isOfEvent(bind(tenantId), bind(eventId)),
    sinceMs !== undefined && `${column.id} >= ${bind(lowestUuidv7(sinceMs))}`,
    untilMs !== undefined && `${column.id} < ${bind(lowestUuidv7(untilMs))}`,
    beforeId !== undefined && `${column.id} < ${bind(beforeId)}`,
    status !== undefined && statusConditions[status],
  ].filter((condition) => condition !== false)
  const text = `${selectDeliveries} WHERE ${conditions.join(' AND ')} ORDER BY ${column.id} DESC LIMIT ${take}`
  return { text, values }
}

const endedStatuses: ReadonlySet<DeliveryStatus> = new Set(['succeeded', 'dead'])

/** An event is found by our own id of it, which is the public one, or stands beside that its publisher gave. */
const isOfEvent = (tenantId: string, eventId: string): string => `d.event_id = ${eventId}
  AND d.event_ref = ANY (ARRAY[${eventId}::uuid, (SELECT event_ref FROM published_event_ids
    WHERE tenant_id = ${tenantId} AND event_id = ${eventId})])`
