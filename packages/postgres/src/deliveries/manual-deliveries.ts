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
  /** The trace that its attempts continue. */
  readonly traceParent?: string | null
}

const woken = Prisma.raw(wakeEndpoints('pending'))

/**
 * Accepts an event for one endpoint and creates its delivery.
 *
 * @param heldForMs - how long the delivery is held for the job that the caller adds after the commit.
 */
export async function publishToEndpoint(
  tx: Transaction,
  { id, tenantId, endpointId, type, createdAt, payload, traceParent = null }: SingleEvent,
  heldForMs: number,
): Promise<SingleDelivery> {
  await tx.event.create({
    data: { id, eventId: id, tenantId, type, createdAt, payload, deliveryCount: 1, traceParent },
  })
  const [row] = await tx.$queryRaw<SingleDelivery[]>`
    WITH made AS (
      INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at)
      VALUES (uuid_v7(), ${tenantId}::uuid, ${endpointId}::uuid, ${id}::uuid, ${id}::uuid, ${type}, ${createdAt})
      RETURNING id
    ), pending AS (
      INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
      SELECT id, ${tenantId}::uuid, ${endpointId}::uuid, ${id}::uuid, now(),
        now() + ${heldForMs}::float8 * interval '1 ms'
      FROM made RETURNING delivery_id, tenant_id, endpoint_id, due_at, held_until AS at, false AS slow
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
  return tx.$queryRaw<SingleDelivery[]>`
    WITH kept AS (
      SELECT d.* FROM deliveries d JOIN events e ON e.id = d.event_ref
      WHERE d.id = ANY (${[...ids]}::uuid[]) ORDER BY d.id FOR KEY SHARE OF e
    ), made AS (
      INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
        redelivery_of)
      SELECT uuid_v7(), tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, id
      FROM kept
      RETURNING id, tenant_id, endpoint_id, event_ref
    ), pending AS (
      INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
      SELECT id, tenant_id, endpoint_id, event_ref, now(), now() + ${heldForMs}::float8 * interval '1 ms'
      FROM made RETURNING delivery_id, tenant_id, endpoint_id, due_at, held_until AS at, false AS slow
    ), woken AS (${woken})
    SELECT delivery_id::text AS "deliveryId", due_at AS "dueAt" FROM pending`
}
