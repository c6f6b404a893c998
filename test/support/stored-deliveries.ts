import { createUuidv7 } from '@hosting/core/ids'
import type { Database } from '@hosting/postgres/database'

type Pool = Pick<Database, 'pool'>

/** A delivery as tests store it. What is left out has an ordinary value. */
interface QueuedRow {
  readonly id?: string
  readonly tenantId: string
  readonly endpointId: string
  readonly eventRef: string
  readonly redeliveryOf?: string | null
}

/** A finished delivery as tests store it. */
interface StoredRow extends QueuedRow {
  /** The public id of the event. By default our own. */
  readonly eventId?: string
  readonly eventType?: string
  readonly eventCreatedAt?: Date
  readonly objectId?: string | null
  readonly accountId?: string | null
  readonly eventName?: string | null
  readonly outcome?: 'succeeded' | 'dead'
  readonly completedAt?: Date
  readonly attemptCount?: number
  readonly lastStatusCode?: number | null
  readonly lastErrorClass?: string | null
}

/** Puts a delivery of an event into the queue, due now. Gives its id. */
export async function queueDelivery(
  { pool }: Pool,
  { id = createUuidv7(), tenantId, endpointId, eventRef, redeliveryOf = null }: QueuedRow,
): Promise<string> {
  await pool.query(
    `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, redelivery_of, due_at, held_until)
     VALUES ($1, $2, $3, $4, $5, now(), 'epoch')`,
    [id, tenantId, endpointId, eventRef, redeliveryOf],
  )
  return id
}

/** Stores a finished delivery, whose event need not exist. Gives its id. */
export async function storeDelivery(
  { pool }: Pool,
  { id = createUuidv7(), outcome = 'succeeded', eventRef, ...row }: StoredRow,
): Promise<string> {
  const now = new Date()
  await pool.query(
    `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, redelivery_of, event_id, event_type,
       event_created_at, object_id, account_id, event_name, outcome, dead, completed_at, attempt_count,
       last_status_code, last_error_class)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::delivery_outcome, $12::delivery_outcome = 'dead', $13,
       $14, $15, $16)`,
    [
      id,
      row.tenantId,
      row.endpointId,
      eventRef,
      row.redeliveryOf ?? null,
      row.eventId ?? eventRef,
      row.eventType ?? 'site.created',
      row.eventCreatedAt ?? now,
      row.objectId ?? null,
      row.accountId ?? null,
      row.eventName ?? null,
      outcome,
      row.completedAt ?? now,
      row.attemptCount ?? 1,
      row.lastStatusCode ?? null,
      row.lastErrorClass ?? null,
    ],
  )
  return id
}

/** How {@link endDeliveries} ends deliveries. */
interface End {
  readonly outcome: 'succeeded' | 'dead'
  readonly completedAt?: Date
  readonly statusCode?: number | null
  readonly errorClass?: string | null
}

/** Ends deliveries that are in the queue, without an attempt of their own. */
export async function endDeliveries(
  { pool }: Pool,
  ids: readonly string[],
  { outcome, completedAt = new Date(), statusCode = null, errorClass = null }: End,
): Promise<void> {
  await pool.query(
    `WITH ended AS (DELETE FROM pending_deliveries WHERE delivery_id = ANY ($1) RETURNING *)
     SELECT store_deliveries(array_agg(delivery_id), array_agg(tenant_id), array_agg(endpoint_id), array_agg(event_ref),
       array_agg(redelivery_of), array_agg($2::delivery_outcome), array_agg(greatest(attempts_made, 1)),
       array_agg($3::timestamptz), array_agg(NULL::uuid), array_agg(NULL::timestamptz), array_agg(NULL::integer),
       array_agg($4::integer), array_agg($5::text)) FROM ended`,
    [ids, outcome, completedAt, statusCode, errorClass],
  )
}
