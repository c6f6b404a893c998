import type { EventSubject } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import type { Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

const { float, listOf, notNull, time, uuid } = types

const madeTypes = { deliveryId: uuid, dueAt: time }

/** A delivery to one endpoint that was not created by a publish to all endpoints. */
export type SingleDelivery = RowOf<typeof madeTypes>

/** An event for a single endpoint. */
export interface SingleEvent {
  /** A UUIDv7, which is also the public id. */
  readonly id: string
  readonly tenantId: string
  readonly endpointId: string
  readonly type: string
  readonly createdAt: Date
  readonly payload: string
  readonly subject: EventSubject
  /** The trace that its attempts continue. */
  readonly traceParent?: string | null
}

/**
 * Accepts an event for one endpoint and creates its delivery. The event has no position in the event log.
 *
 * @param heldMs - how long the delivery is held for the job that the caller adds after the commit.
 */
export async function publishToEndpoint(
  tx: Transaction,
  { id, tenantId, endpointId, type, createdAt, payload, subject, traceParent = null }: SingleEvent,
  heldMs: number,
): Promise<SingleDelivery> {
  await tx.event.create({
    data: {
      id,
      eventId: id,
      tenantId,
      type,
      createdAt,
      payload,
      deliveryCount: 1,
      traceParent,
      ...subject,
    },
  })
  const [made] = await runIn(tx, publishStatement, { id, tenantId, endpointId, heldForMs: heldMs })
  return made!
}

/**
 * Puts deliveries into the queue, due now, held until a time, and gives a row for each.
 *
 * @param source - gives the organization, the endpoint, the event and the original of each, in the order to send them.
 */
const makeDue = (source: string, heldUntil: string): string => `
  pending AS (
    INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, redelivery_of, due_at, held_until)
    SELECT uuid_v7(), *, now(), ${heldUntil} FROM (${source}) made
    RETURNING delivery_id, tenant_id, endpoint_id, due_at, held_until AS at, false AS slow
  ), woken AS (${wakeEndpoints('pending')})
  SELECT delivery_id, due_at FROM pending`

const heldForMs = `now() + :heldForMs * interval '1 ms'`

/** Adds a delivery of a new event to one endpoint, and gives it. */
const publishStatement = defineStatement({
  name: 'publish-to-endpoint',
  takes: { id: uuid, tenantId: uuid, endpointId: uuid, heldForMs: float },
  gives: madeTypes,
  sql: `
    WITH counted_usage AS (
      INSERT INTO usage_batches (date, tenant_ids) VALUES ((now() AT TIME ZONE 'UTC')::date, ARRAY[:tenantId])
    ), ${makeDue('SELECT :tenantId, :endpointId, :id, NULL::uuid', heldForMs)}`,
})

/**
 * Creates new deliveries of the same events to the same endpoints, each with its own retries. Locks the
 * events, so that none is removed as expired in the meantime.
 *
 * @param ids - the ids of the deliveries to redeliver.
 * @param heldMs - as for {@link publishToEndpoint}.
 * @returns the new deliveries. Deliveries that do not exist, or whose event does not, are skipped.
 */
export async function redeliver(
  tx: Transaction,
  ids: readonly string[],
  heldMs: number,
): Promise<SingleDelivery[]> {
  const originals = await runIn(tx, originalsStatement, { ids })
  const refs = originals.map((row) => row.eventRef)
  const locked = new Set((await runIn(tx, lockEventsStatement, { ids: refs })).map(({ id }) => id))
  const kept = originals.filter((row) => locked.has(row.eventRef)).map(({ id }) => id)
  return await runIn(tx, redeliverStatement, { ids: kept, heldForMs: heldMs })
}

/** Returns deliveries with the ids of their events. Locks nothing. */
const originalsStatement = defineStatement({
  name: 'list-deliveries-to-redeliver',
  takes: { ids: listOf(uuid) },
  gives: { id: notNull(uuid, 'of both tables'), eventRef: notNull(uuid, 'of both tables') },
  sql: 'SELECT id, event_ref FROM delivery_states WHERE id = ANY (:ids)',
})

/** Locks events until the transaction ends, in the order of their ids, so that none is removed as expired. */
const lockEventsStatement = defineStatement({
  name: 'lock-events-to-deliver',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid },
  sql: 'SELECT id FROM events WHERE id = ANY (:ids) ORDER BY id FOR KEY SHARE',
})

/** Creates a delivery for each of the given ones, whose events the transaction has locked. */
const redeliverStatement = defineStatement({
  name: 'redeliver',
  takes: { ids: listOf(uuid), heldForMs: float },
  gives: madeTypes,
  sql: `
    WITH ${makeDue(
      'SELECT tenant_id, endpoint_id, event_ref, id FROM delivery_states WHERE id = ANY (:ids) ORDER BY id',
      heldForMs,
    )}`,
})

/**
 * Creates deliveries of events to an endpoint that never had one, for example because it is newer. Locks the events like
 * {@link redeliver}.
 *
 * @param ids - our own ids of the events. Those that do not exist are skipped.
 */
export async function deliverEvents(
  tx: Transaction,
  endpointId: string,
  ids: readonly string[],
): Promise<SingleDelivery[]> {
  const kept = (await runIn(tx, lockEventsStatement, { ids })).map(({ id }) => id)
  return await runIn(tx, deliverStatement, { endpointId, ids: kept })
}

/** Creates a delivery for each of the given events, which the transaction has locked, in the order of the event log. */
const deliverStatement = defineStatement({
  name: 'deliver-events',
  takes: { endpointId: uuid, ids: listOf(uuid) },
  gives: madeTypes,
  sql: `
    WITH ${makeDue(
      'SELECT tenant_id, :endpointId, id, NULL::uuid FROM events WHERE id = ANY (:ids) ORDER BY position',
      'now()',
    )}`,
})
