import type { DeliveryStatus } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { ofBoth, stateTables, statusOf } from '../deliveries/delivery-select.ts'

const { named, notNull, text, uuid } = types

const deliveryTypes = {
  id: ofBoth(uuid),
  endpointId: ofBoth(uuid),
  status: notNull(named<DeliveryStatus>('text'), 'has an ELSE'),
}

/** What became of an event at an endpoint. */
export type EventDelivery = RowOf<typeof deliveryTypes>

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
  const [event] = await run(pool, eventStatement, { tenantId, eventId })
  if (!event) return undefined
  const deliveries = await run(pool, deliveriesStatement, { eventRef: event.id })
  return { payload: event.payload, deliveries }
}

/** Returns an event of the log by its public id. Locks nothing. */
const eventStatement = defineStatement({
  name: 'find-logged-event',
  takes: { tenantId: uuid, eventId: uuid },
  gives: { id: uuid, payload: text },
  sql: `
    SELECT id, payload FROM events
    WHERE id = ANY (ARRAY[:eventId, (SELECT event_ref FROM published_event_ids
        WHERE tenant_id = :tenantId AND event_id = :eventId)])
      AND tenant_id = :tenantId AND event_id = :eventId AND position IS NOT NULL`,
})

/** Returns the newest deliveries of an event with their status. Locks nothing. */
const deliveriesStatement = defineStatement({
  name: 'list-deliveries-of-logged-event',
  takes: { eventRef: uuid },
  gives: deliveryTypes,
  sql: `
    SELECT d.id, d.endpoint_id, ${statusOf} AS status FROM ${stateTables}
    WHERE d.event_ref = :eventRef ORDER BY d.id DESC LIMIT ${deliveriesMax}`,
})
