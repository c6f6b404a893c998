import type { DeliveryStatus } from '@hosting/core/webhooks'
import type { Database } from '../database/database.ts'
import { statusOf } from '../deliveries/delivery-select.ts'

/** What became of an event at an endpoint. */
export interface EventDelivery {
  readonly id: string
  readonly endpoint_id: string
  readonly status: DeliveryStatus
}

/** An event of the log with its deliveries, newest first. */
export interface LoggedEvent {
  /** The exact bytes of the envelope. */
  readonly payload: string
  readonly deliveries: readonly EventDelivery[]
}

/** The most deliveries of an event that are read. */
const deliveriesMax = 1_000

/** Finds an event of the organization's log by its public id. Pings and tests are not in the log. */
export async function findLoggedEvent(
  { pool }: Database,
  tenantId: string,
  eventId: string,
): Promise<LoggedEvent | undefined> {
  const { rows } = await pool.query<{ id: string; payload: string }>(
    `SELECT id, payload FROM events
     WHERE id = ANY (ARRAY[$2::uuid, (SELECT event_ref FROM published_event_ids
         WHERE tenant_id = $1 AND event_id = $2)])
       AND tenant_id = $1 AND event_id = $2 AND position IS NOT NULL`,
    [tenantId, eventId],
  )
  const [event] = rows
  if (!event) return undefined
  const { rows: deliveries } = await pool.query<EventDelivery>(
    `SELECT d.id, d.endpoint_id, ${statusOf} AS status
     FROM deliveries d
     LEFT JOIN pending_deliveries p ON p.delivery_id = d.id
     LEFT JOIN webhook_endpoints e ON e.id = d.endpoint_id
     WHERE d.event_ref = $1 ORDER BY d.id DESC LIMIT ${deliveriesMax}`,
    [event.id],
  )
  return { payload: event.payload, deliveries }
}
