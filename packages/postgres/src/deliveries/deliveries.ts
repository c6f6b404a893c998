import { timeOfUuidv7, type DeliveryStatus } from '@hosting/core'
import type { Database, Transaction } from '../database/database.ts'
import { selectDeliveries } from './delivery-select.ts'
import { withExpectedStarts } from './expected-starts.ts'

/** A delivery with its endpoint, as read by one statement. */
export interface DeliveryState {
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
  readonly endpoint_url: string
  readonly endpoint_description: string | null
  readonly endpoint_deleted: boolean
}

/** A delivery as {@link selectDeliveries} reads it. */
export interface SelectedDelivery extends DeliveryState {
  readonly is_throttled: boolean
}

/** A delivery as shown in lists and as a single record. */
export interface DeliveryRow extends DeliveryState {
  readonly last_attempt: AttemptRow | null
}

/** An attempt as shown in the single record of a delivery. */
export interface AttemptRow {
  readonly id: string
  readonly number: number
  readonly started_at: Date
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error_class: string | null
}

/**
 * Finds a delivery of the organization, with its attempts, oldest first, and the text of the envelope.
 */
export async function findDelivery(
  { pool }: Database,
  tenantId: string,
  id: string,
): Promise<{ delivery: DeliveryRow; attempts: AttemptRow[]; payload: string } | undefined> {
  const { rows } = await pool.query<SelectedDelivery & { payload: string }>(
    `${selectDeliveries().replace('SELECT', 'SELECT ev.payload,')}
     JOIN events ev ON ev.id = d.event_ref WHERE d.id = $1 AND d.tenant_id = $2`,
    [id, tenantId],
  )
  const [row] = await withExpectedStarts({ pool }, rows)
  if (!row) return undefined
  const { payload, ...state } = row
  const attempts = await listAttempts({ pool }, id)
  return { delivery: { ...state, last_attempt: attempts.at(-1) ?? null }, attempts, payload }
}

/** Adds the last attempt to each delivery of a page. */
export async function withLastAttempts(
  { pool }: Pick<Database, 'pool'>,
  deliveries: readonly DeliveryState[],
): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return []
  const earliestMs = Math.min(...deliveries.map(({ id }) => timeOfUuidv7(id)))
  const { rows } = await pool.query<AttemptRow & { delivery_id: string }>(
    `SELECT DISTINCT ON (delivery_id) delivery_id, ${attemptColumns} FROM delivery_attempts
     WHERE delivery_id = ANY ($1::uuid[]) AND id >= ${attemptsFrom}
     ORDER BY delivery_id, number DESC, id DESC`,
    [deliveries.map(({ id }) => id), new Date(earliestMs)],
  )
  const lastById = new Map(rows.map(({ delivery_id, ...attempt }) => [delivery_id, attempt]))
  return deliveries.map((row) => ({ ...row, last_attempt: lastById.get(row.id) ?? null }))
}

const attemptColumns = 'id, number, started_at, duration_ms, status_code, error_class'

/**
 * Attempts are made after their delivery is created, so their ids are greater. This lower bound excludes
 * the partitions of earlier days. One day of slack allows for clock differences.
 */
const attemptsFrom = "uuid_v7_floor($2::timestamptz - interval '1 day')"

/** The event that a delivery sent, and its endpoint. */
export interface SentRow extends Pick<
  DeliveryRow,
  'endpoint_id' | 'event_id' | 'event_type' | 'event_created_at'
> {
  readonly payload: string
}

/** Reads what a delivery of the organization sent, in the transaction that redelivers it. */
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

async function listAttempts(
  { pool }: Pick<Database, 'pool'>,
  deliveryId: string,
): Promise<AttemptRow[]> {
  const { rows } = await pool.query<AttemptRow>(
    `SELECT ${attemptColumns} FROM delivery_attempts
     WHERE delivery_id = $1 AND id >= ${attemptsFrom} ORDER BY number, id`,
    [deliveryId, new Date(timeOfUuidv7(deliveryId))],
  )
  return rows
}
