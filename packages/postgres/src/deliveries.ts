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
  const values: unknown[] = []
  const conditions = conditionsOf(filter, beforeId).map(([condition, value]) => {
    if (value === undefined) return condition
    values.push(value)
    return condition.replace('?', `$${values.length}`)
  })
  const text = `${selectDeliveries} WHERE ${conditions.join(' AND ')} ORDER BY d.id DESC LIMIT ${take}`
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

/** The statuses in SQL, exclusive like those of the select. An unfinished one is looked for in the queue. */
const statusConditions: Record<DeliveryStatus, string> = {
  succeeded: `d.outcome = 'succeeded'`,
  dead: `d.outcome = 'dead'`,
  in_flight: inFlight,
  waiting_endpoint: `p.delivery_id IS NOT NULL AND NOT (${inFlight}) AND NOT e.enabled`,
  waiting_retry: `NOT (${inFlight}) AND e.enabled AND p.attempts_made > 0`,
  queued: `NOT (${inFlight}) AND e.enabled AND p.attempts_made = 0`,
}

/** Each condition with the value of its `?`, if it has one. */
function conditionsOf(filter: DeliveryFilter, beforeId: string | undefined): [string, unknown?][] {
  const when = (value: unknown, condition: string): [string, unknown?][] =>
    value === undefined ? [] : [[condition, value]]
  return [
    ['d.tenant_id = ?', filter.tenantId],
    ...when(filter.endpointId, 'd.endpoint_id = ?'),
    ...when(filter.eventType, 'd.event_type = ?'),
    ...when(filter.eventId, 'd.event_id = ?'),
    ...when(lowestIdOf(filter.sinceMs), 'd.id >= ?'),
    ...when(lowestIdOf(filter.untilMs), 'd.id < ?'),
    ...when(beforeId, 'd.id < ?'),
    ...(filter.status ? [[statusConditions[filter.status]] satisfies [string]] : []),
  ]
}

const lowestIdOf = (timeMs: number | undefined): string | undefined =>
  timeMs === undefined ? undefined : lowestUuidv7(timeMs)
