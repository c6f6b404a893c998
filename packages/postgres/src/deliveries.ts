import { lowestUuidv7, type DeliveryStatus } from '@hosting/core'
import type { Database } from './database.ts'

/** A delivery as lists and the single record show it. */
export interface DeliveryRow {
  readonly id: string
  readonly endpoint_id: string
  readonly event_id: string
  readonly event_type: string
  readonly event_created_at: Date
  readonly redelivery_of: string | null
  readonly status: DeliveryStatus
  readonly attempt_count: number
  readonly next_attempt_at: Date | null
  readonly completed_at: Date | null
}

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

/** An attempt as the single record shows it. */
export interface AttemptRow {
  readonly id: string
  readonly number: number
  readonly started_at: Date
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error_class: string | null
}

/** A page of deliveries, newest first: those before `beforeId`. */
export async function listDeliveries(
  { pool }: Database,
  filter: DeliveryFilter,
  { beforeId, take }: { beforeId: string | undefined; take: number },
): Promise<DeliveryRow[]> {
  const { text, values } = selectPage(filter, beforeId, take)
  return (await pool.query<DeliveryRow>(text, values)).rows
}

/** A delivery of the organization with its attempts, oldest first, and the envelope's text. */
export async function findDelivery(
  { pool }: Database,
  tenantId: string,
  id: string,
): Promise<{ delivery: DeliveryRow; attempts: AttemptRow[]; payload: string } | undefined> {
  const { rows } = await pool.query<DeliveryRow & { payload: string }>(
    `${selectDeliveries.replace('SELECT', 'SELECT ev.payload,')}
     JOIN events ev ON ev.id = d.event_ref WHERE d.id = $1 AND d.tenant_id = $2`,
    [id, tenantId],
  )
  const [row] = rows
  if (!row) return undefined
  const { payload, ...delivery } = row
  return { delivery, attempts: await listAttempts({ pool }, id), payload }
}

/**
 * Attempts are made after their delivery, so their ids are greater: the bound spares the partitions of
 * earlier days. A day of slack covers clocks that disagree.
 */
async function listAttempts(
  { pool }: Pick<Database, 'pool'>,
  deliveryId: string,
): Promise<AttemptRow[]> {
  const { rows } = await pool.query<AttemptRow>(
    `SELECT id, number, started_at, duration_ms, status_code, error_class FROM delivery_attempts
     WHERE delivery_id = $1 AND id >= uuid_v7_floor($2::timestamptz - interval '1 day')
     ORDER BY number, id`,
    [deliveryId, new Date(Number.parseInt(deliveryId.replaceAll('-', '').slice(0, 12), 16))],
  )
  return rows
}

/** A worker holds the row: its attempt is being made. */
const inFlight = 'p.lease_id IS NOT NULL AND p.held_until > now()'

const selectDeliveries = `
  SELECT d.id, d.endpoint_id, d.event_id, d.event_type, d.event_created_at, d.redelivery_of, d.completed_at,
    CASE
      WHEN d.outcome IS NOT NULL THEN d.outcome::text
      WHEN ${inFlight} THEN 'in_flight'
      WHEN NOT e.enabled THEN 'waiting_endpoint'
      WHEN p.attempts_made > 0 THEN 'waiting_retry'
      ELSE 'queued'
    END AS status,
    coalesce(p.attempts_made, d.attempt_count) AS attempt_count,
    CASE WHEN e.enabled AND NOT (${inFlight}) THEN p.due_at END AS next_attempt_at
  FROM deliveries d
  LEFT JOIN pending_deliveries p ON p.delivery_id = d.id
  LEFT JOIN webhook_endpoints e ON e.id = d.endpoint_id`

/** The statuses in SQL, exclusive like those of the select. */
const statusConditions: Record<DeliveryStatus, string> = {
  succeeded: `d.outcome = 'succeeded'`,
  dead: `d.outcome = 'dead'`,
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
  beforeId: string | undefined,
  take: number,
): { text: string; values: unknown[] } {
  const column = status && !endedStatuses.includes(status) ? ofQueue : ofDeliveries
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

const endedStatuses: readonly DeliveryStatus[] = ['succeeded', 'dead']

/** An event is found by our own id of it, which is the public one, or stands beside that its publisher gave. */
const isOfEvent = (tenantId: string, eventId: string): string => `d.event_id = ${eventId}
  AND d.event_ref = ANY (ARRAY[${eventId}::uuid, (SELECT event_ref FROM published_event_ids
    WHERE tenant_id = ${tenantId} AND event_id = ${eventId})])`
