import type { EventSubject } from '@hosting/core/webhooks'
import type { Transaction } from '../database/database.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'
import { Prisma } from '../generated/client.ts'

/** A delivery to one endpoint that was not created by a publish to all endpoints. */
export interface SingleDelivery {
  readonly deliveryId: string
  readonly dueAt: Date
}

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

const woken = Prisma.raw(wakeEndpoints('pending'))

/**
 * Accepts an event for one endpoint and creates its delivery. The event has no place in the event log.
 *
 * @param heldForMs - how long the delivery is held for the job that the caller adds after the commit.
 */
export async function publishToEndpoint(
  tx: Transaction,
  { id, tenantId, endpointId, type, createdAt, payload, subject, traceParent = null }: SingleEvent,
  heldForMs: number,
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
  const [row] = await tx.$queryRaw<SingleDelivery[]>`
    WITH made AS (
      INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
        object_id, account_id, event_name)
      VALUES (uuid_v7(), ${tenantId}::uuid, ${endpointId}::uuid, ${id}::uuid, ${id}::uuid, ${type}, ${createdAt},
        ${objectId}, ${accountId}, ${name})
      RETURNING id
    ), pending AS (
      INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
      SELECT id, ${tenantId}::uuid, ${endpointId}::uuid, ${id}::uuid, now(),
        now() + ${heldForMs}::float8 * interval '1 ms'
      FROM made RETURNING delivery_id, tenant_id, endpoint_id, due_at, held_until AS at, false AS slow
    ), counted_usage AS (
      INSERT INTO usage_counts (tenant_id, date, events)
      VALUES (${tenantId}::uuid, (now() AT TIME ZONE 'UTC')::date, 1)
    ), woken AS (${woken})
    SELECT delivery_id::text AS "deliveryId", due_at AS "dueAt" FROM pending`
  return row!
}

/**
 * Creates new deliveries of the same events to the same endpoints, each with its own retries. Locks the
 * events, so that none is removed as expired in the meantime.
 *
 * @param ids - the ids of the deliveries to redeliver.
 * @param heldForMs - as for {@link publishToEndpoint}.
 * @returns the new deliveries. Deliveries that do not exist, or whose event does not, are skipped.
 */
export async function redeliver(
  tx: Transaction,
  ids: readonly string[],
  heldForMs: number,
): Promise<SingleDelivery[]> {
  const originals = await tx.$queryRaw<{ id: string; eventRef: string }[]>`
    SELECT id::text, event_ref::text AS "eventRef" FROM deliveries WHERE id = ANY (${[...ids]}::uuid[])`
  const events = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM events WHERE id = ANY (${originals.map((row) => row.eventRef)}::uuid[])
    ORDER BY id FOR KEY SHARE`
  const locked = new Set(events.map(({ id }) => id))
  const kept = originals.filter((row) => locked.has(row.eventRef)).map(({ id }) => id)
  return tx.$queryRaw<SingleDelivery[]>`
    WITH made AS (
      INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
        object_id, account_id, event_name, redelivery_of)
      SELECT uuid_v7(), tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
        object_id, account_id, event_name, id
      FROM (SELECT * FROM deliveries WHERE id = ANY (${kept}::uuid[]) ORDER BY id) original
      RETURNING id, tenant_id, endpoint_id, event_ref
    ), pending AS (
      INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
      SELECT id, tenant_id, endpoint_id, event_ref, now(), now() + ${heldForMs}::float8 * interval '1 ms'
      FROM made RETURNING delivery_id, tenant_id, endpoint_id, due_at, held_until AS at, false AS slow
    ), woken AS (${woken})
    SELECT delivery_id::text AS "deliveryId", due_at AS "dueAt" FROM pending`
}

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
  const events = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM events WHERE id = ANY (${[...ids]}::uuid[]) ORDER BY id FOR KEY SHARE`
  const kept = events.map(({ id }) => id)
  return tx.$queryRaw<SingleDelivery[]>`
    WITH made AS (
      INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
        object_id, account_id, event_name)
      SELECT uuid_v7(), tenant_id, ${endpointId}::uuid, id, event_id, type, created_at, object_id, account_id, name
      FROM (SELECT * FROM events WHERE id = ANY (${kept}::uuid[]) ORDER BY position) event
      RETURNING id, tenant_id, endpoint_id, event_ref
    ), pending AS (
      INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
      SELECT id, tenant_id, endpoint_id, event_ref, now(), now()
      FROM made RETURNING delivery_id, tenant_id, endpoint_id, due_at, held_until AS at, false AS slow
    ), woken AS (${woken})
    SELECT delivery_id::text AS "deliveryId", due_at AS "dueAt" FROM pending`
}
