import type { EventSubject } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import type { Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

const { float, listOf, nullable, text, time, uuid } = types

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
  const { objectId, accountId, name } = subject
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
  const values = { id, tenantId, endpointId, type, createdAt, objectId, accountId, name }
  const [made] = await runIn(tx, publishStatement, { ...values, heldForMs: heldMs })
  return made!
}

/** The columns of a delivery that its event determines. */
const eventColumns = `id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, object_id, account_id, event_name`

/** Makes the deliveries that `made` has returned due now, held until a time, and gives a row for each. */
const makeDue = (heldUntil: string): string => `
  pending AS (
    INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
    SELECT id, tenant_id, endpoint_id, event_ref, now(), ${heldUntil}
    FROM made RETURNING delivery_id, tenant_id, endpoint_id, due_at, held_until AS at, false AS slow
  ), woken AS (${wakeEndpoints('pending')})
  SELECT delivery_id, due_at FROM pending`

const heldForMs = `now() + :heldForMs * interval '1 ms'`

/** Adds a delivery of a new event to one endpoint, and gives it. */
const publishStatement = defineStatement({
  name: 'publish-to-endpoint',
  takes: {
    id: uuid,
    tenantId: uuid,
    endpointId: uuid,
    type: text,
    createdAt: time,
    objectId: nullable(text),
    accountId: nullable(text),
    name: nullable(text),
    heldForMs: float,
  },
  gives: madeTypes,
  sql: `
    WITH made AS (
      INSERT INTO deliveries (${eventColumns})
      VALUES (uuid_v7(), :tenantId, :endpointId, :id, :id, :type, :createdAt, :objectId, :accountId, :name)
      RETURNING id, tenant_id, endpoint_id, event_ref
    ), counted_usage AS (
      INSERT INTO usage_counts (tenant_id, date, events)
      VALUES (:tenantId, (now() AT TIME ZONE 'UTC')::date, 1)
    ), ${makeDue(heldForMs)}`,
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

/** Gives deliveries with the ids of their events. It locks nothing. */
const originalsStatement = defineStatement({
  name: 'list-deliveries-to-redeliver',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid, eventRef: uuid },
  sql: 'SELECT id, event_ref FROM deliveries WHERE id = ANY (:ids)',
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
    WITH made AS (
      INSERT INTO deliveries (${eventColumns}, redelivery_of)
      SELECT uuid_v7(), tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
        object_id, account_id, event_name, id
      FROM (SELECT * FROM deliveries WHERE id = ANY (:ids) ORDER BY id) original
      RETURNING id, tenant_id, endpoint_id, event_ref
    ), ${makeDue(heldForMs)}`,
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
    WITH made AS (
      INSERT INTO deliveries (${eventColumns})
      SELECT uuid_v7(), tenant_id, :endpointId, id, event_id, type, created_at, object_id, account_id, name
      FROM (SELECT * FROM events WHERE id = ANY (:ids) ORDER BY position) event
      RETURNING id, tenant_id, endpoint_id, event_ref
    ), ${makeDue('now()')}`,
})
