import type { FinishedAttempt } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'

const { float, int, listOf, uuid } = types

/**
 * Whether row `p` of the queue still awaits attempt `d`: its lease is that of the attempt, or the lease ended
 * and nobody has claimed the attempt since.
 */
export const isAwaited = `(p.lease_id = d.lease_id OR p.lease_id IS NULL AND p.attempts_made = d.number - 1)`

/**
 * How long a record waits for a lock, in ms. Less than the lease lasts after the longest attempt, so that
 * the lease can be renewed before the next try.
 */
export const lockMs = 3_000

/**
 * Extends the leases of attempts that are not recorded yet, from now on. Also renews a lease that ended and that the relay has
 * released, unless another process has claimed the attempt since. Skips rows that are locked, for example
 * because they are being recorded.
 *
 * @returns the ids of the deliveries whose leases were renewed.
 */
export async function renewLeases(
  database: Database,
  finished: readonly FinishedAttempt[],
  leaseMs: number,
): Promise<Set<string>> {
  const rows = await runPrepared(database, renewStatement, {
    deliveryIds: finished.map(({ deliveryId }) => deliveryId),
    leaseIds: finished.map(({ leaseId }) => leaseId),
    numbers: finished.map(({ number }) => number),
    leaseMs,
  })
  return new Set(rows.map(({ deliveryId }) => deliveryId))
}

/** Extends leases, and returns the deliveries whose lease was extended. Skips rows that are locked. */
const renewStatement = defineHotStatement({
  name: 'renew-leases',
  takes: {
    deliveryIds: listOf(uuid),
    leaseIds: listOf(uuid),
    numbers: listOf(int),
    leaseMs: float,
  },
  gives: { deliveryId: uuid },
  sql: `
  WITH awaited AS (
    SELECT p.delivery_id, d.lease_id
    FROM unnest(:deliveryIds, :leaseIds, :numbers) AS d (delivery_id, lease_id, number)
    JOIN pending_deliveries p ON p.delivery_id = ANY (ARRAY[d.delivery_id]) AND ${isAwaited}
    FOR UPDATE OF p SKIP LOCKED
  )
  UPDATE pending_deliveries p SET lease_id = awaited.lease_id, held_until = now() + :leaseMs * interval '1 ms'
  FROM awaited WHERE p.delivery_id = ANY (ARRAY[awaited.delivery_id])
  RETURNING p.delivery_id`,
})
