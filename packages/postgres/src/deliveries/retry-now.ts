import type { Database, Transaction } from '../database/database.ts'
import { runTransaction } from '../database/pool-transaction.ts'
import { inFlight } from './delivery-select.ts'
import { wakeEndpoint } from './endpoint-wakeups.ts'

/** The most deliveries that one transaction makes due. A request reports this number for this number or more. */
export const retriedNowMax = 10_000

/**
 * Makes retries due, those that are due next first. The time is that of the statement and not of the transaction, which
 * may have waited for another request to make the same deliveries due.
 *
 * @param which - a further condition, and the parameter of the endpoint.
 */
const retryStatement = (which: string): string => `
  WITH waiting AS MATERIALIZED (
    SELECT p.delivery_id FROM pending_deliveries p
    WHERE p.endpoint_id = $1::uuid AND p.due_at > statement_timestamp() AND p.attempts_made > 0
      AND NOT (${inFlight}) AND ${which}
    ORDER BY p.due_at LIMIT $2::int FOR UPDATE
  )
  UPDATE pending_deliveries p SET due_at = statement_timestamp(), starts_at = NULL
  FROM waiting WHERE p.delivery_id = waiting.delivery_id`

/**
 * Makes every waiting retry of an endpoint due now, which the transaction has locked. Attempt numbers and later delays
 * stay the same. The relay sends them at the endpoint's pace, like those of an endpoint that is enabled again. If they
 * are more than {@link retriedNowMax}, {@link continueRetries} makes the others due.
 *
 * @returns the number of deliveries, at most {@link retriedNowMax}.
 */
export async function retryEndpointNow(
  tx: Transaction,
  endpointId: string,
  countMax = retriedNowMax,
): Promise<number> {
  const count = await tx.$executeRawUnsafe(retryStatement('true'), endpointId, countMax)
  if (count === 0) return 0
  await wakeEndpoint(tx, endpointId)
  if (count === countMax) {
    await tx.$executeRaw`
      INSERT INTO webhook_retries (endpoint_id, requested_at) VALUES (${endpointId}::uuid, statement_timestamp())
      ON CONFLICT (endpoint_id) DO UPDATE SET requested_at = EXCLUDED.requested_at`
  }
  return count
}

/**
 * Makes the retry of one delivery due now, of an enabled endpoint that the transaction has locked.
 *
 * @returns whether the delivery was waiting for a retry.
 */
export async function retryDeliveryNow(
  tx: Transaction,
  { deliveryId, endpointId }: { deliveryId: string; endpointId: string },
): Promise<boolean> {
  const count = await tx.$executeRawUnsafe(
    `UPDATE pending_deliveries p SET due_at = least(due_at, statement_timestamp()), starts_at = NULL
     WHERE delivery_id = $1::uuid AND attempts_made > 0 AND NOT (${inFlight})`,
    deliveryId,
  )
  if (count > 0) await wakeEndpoint(tx, endpointId)
  return count > 0
}

/**
 * Continues the retries of endpoints with many waiting deliveries, in one transaction per endpoint. A delivery that has
 * failed again since the request is not made due a second time. Any number of processes may call it.
 *
 * @returns the number of deliveries made due.
 */
export async function continueRetries(
  database: Pick<Database, 'pool'>,
  countMax = retriedNowMax,
): Promise<number> {
  const { rows } = await database.pool.query<{ endpoint_id: string }>(
    'SELECT endpoint_id FROM webhook_retries ORDER BY requested_at LIMIT 10',
  )
  let total = 0
  for (const { endpoint_id } of rows) total += await continueRetry(database, endpoint_id, countMax)
  return total
}

const continueRetry = (
  database: Pick<Database, 'pool'>,
  endpointId: string,
  countMax: number,
): Promise<number> =>
  runTransaction(database, async (client) => {
    const { rows } = await client.query<{ requested_at: string }>(
      `SELECT requested_at::text FROM webhook_retries WHERE endpoint_id = $1 FOR UPDATE SKIP LOCKED`,
      [endpointId],
    )
    if (!rows[0]) return 0
    const { rowCount } = await client.query(retryStatement('p.last_attempt_at < $3::timestamptz'), [
      endpointId,
      countMax,
      rows[0].requested_at,
    ])
    const count = rowCount ?? 0
    if (count > 0) {
      await client.query(
        `INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at)
         SELECT id, tenant_id, now() FROM webhook_endpoints WHERE id = $1`,
        [endpointId],
      )
    }
    if (count < countMax) {
      await client.query('DELETE FROM webhook_retries WHERE endpoint_id = $1', [endpointId])
    }
    return count
  })
