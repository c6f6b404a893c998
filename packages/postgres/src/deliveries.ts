import type { DeliveryStatus } from '@hosting/core'
import type { Database, Transaction } from './database.ts'
import { selectDeliveries } from './delivery-select.ts'

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

/** An attempt as the single record shows it. */
export interface AttemptRow {
  readonly id: string
  readonly number: number
  readonly started_at: Date
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error_class: string | null
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

/** What a delivery sent, and where. */
export interface SentRow extends Pick<
  DeliveryRow,
  'endpoint_id' | 'event_id' | 'event_type' | 'event_created_at'
> {
  readonly payload: string
}

/** What a delivery of the organization sent, read in the transaction that sends it again. */
export async function findSent(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<SentRow | undefined> {
  const [row] = await tx.$queryRaw<SentRow[]>`
    SELECT d.endpoint_id::text, d.event_id::text, d.event_type, d.event_created_at, ev.payload
    FROM deliveries d JOIN events ev ON ev.id = d.event_ref
    WHERE d.id = ${id}::uuid AND d.tenant_id = ${tenantId}::uuid`
  return row
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
