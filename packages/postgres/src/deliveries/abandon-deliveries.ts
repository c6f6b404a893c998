import { failPoint } from '@hosting/core/fail-points'
import { recordsKeptDays } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import {
  defineHotStatement,
  defineStatement,
  execute,
  run,
  runPrepared,
} from '../database/statement.ts'

const { int, listOf, notNull, nothing, uuid } = types

/** Limits of one call of {@link abandonDeliveries}. */
interface AbandonLimits {
  /** Rows per transaction. */
  readonly batchMax: number
  readonly batchesMax: number
}

/**
 * Marks the waiting deliveries of deleted endpoints as dead, in one transaction per batch, and marks
 * endpoints without deliveries as emptied. Any number of processes may call it at the same time: a batch
 * skips rows that another process has locked. It leaves attempts in progress to finish. A later call
 * handles the deliveries that they leave behind (docs/specification/deliveries.md#deleted-endpoints,
 * packages/postgres/test/deliveries/abandon.test.ts).
 *
 * @returns the number of deliveries marked as dead.
 */
export async function abandonDeliveries(
  database: Database,
  { batchMax, batchesMax }: AbandonLimits = { batchMax: 1_000, batchesMax: 10 },
): Promise<number> {
  let ended = 0
  for (let batch = 0; batch < batchesMax; batch++) {
    const [row] = await runPrepared(database, abandonStatement, { batchMax })
    ended += row!.ended
    if (row!.ended < batchMax) break
  }
  if (ended > 0) failPoint('abandon.batch')
  await execute(database.pool, markEmptiedStatement, {})
  return ended
}

/**
 * Stores deliveries without an attempt as dead, in a statement that has removed their rows from the queue. An aggregate of
 * these rows, each with the time `ended_at`. Their attempts are rows of their own.
 */
const storeDead = `
  store_deliveries(array_agg(delivery_id), array_agg(tenant_id), array_agg(endpoint_id), array_agg(event_ref),
    array_agg(redelivery_of), array_agg('dead'::delivery_outcome), array_agg(attempts_made), array_agg(ended_at),
    array_agg(NULL::uuid), array_agg(NULL::timestamptz), array_agg(NULL::integer), array_agg(last_status_code),
    array_agg(last_error_class))`

/**
 * Finds the endpoints through the partial index of those that are not emptied yet, and their rows through
 * the queue's index.
 */
const abandonStatement = defineHotStatement({
  name: 'abandon-deliveries',
  takes: { batchMax: int },
  gives: { ended: notNull(int, 'count'), stored: nothing },
  sql: `
  WITH waiting AS MATERIALIZED (
    SELECT w.delivery_id, e.deleted_at
    FROM webhook_endpoints e CROSS JOIN LATERAL (
      SELECT p.delivery_id FROM pending_deliveries p
      WHERE p.endpoint_id = e.id AND (p.lease_id IS NULL OR p.held_until < now())
      ORDER BY p.due_at, uuid_send(p.delivery_id) LIMIT :batchMax
      FOR UPDATE SKIP LOCKED
    ) w
    WHERE e.deleted_at IS NOT NULL AND e.emptied_at IS NULL
    LIMIT :batchMax
  ), gone AS (
    DELETE FROM pending_deliveries p USING waiting w
    WHERE p.delivery_id = ANY (ARRAY[w.delivery_id])
    RETURNING p.*, w.deleted_at::timestamptz AS ended_at
  )
  SELECT count(*)::int AS ended, ${storeDead} AS stored FROM gone`,
})

/** Marks leased deliveries without an event as dead. */
export const endWithoutEvent = (
  database: Database,
  claims: readonly { readonly deliveryId: string; readonly leaseId: string }[],
): Promise<unknown> =>
  runPrepared(database, endStatement, {
    deliveryIds: claims.map(({ deliveryId }) => deliveryId),
    leaseIds: claims.map(({ leaseId }) => leaseId),
  })

/** Ends leased deliveries as dead, and removes them from the queue. */
const endStatement = defineHotStatement({
  name: 'end-without-event',
  takes: { deliveryIds: listOf(uuid), leaseIds: listOf(uuid) },
  gives: { stored: nothing },
  sql: `
  WITH ended AS (
    DELETE FROM pending_deliveries p USING unnest(:deliveryIds, :leaseIds) AS d (delivery_id, lease_id)
    WHERE p.delivery_id = ANY (ARRAY[d.delivery_id]) AND p.lease_id = d.lease_id
    RETURNING p.*, now() AS ended_at
  )
  SELECT ${storeDead} AS stored FROM ended`,
})

/**
 * A publish that began before the deletion was committed can still add deliveries. Statements and
 * transactions are limited to seconds, so after this time none of them is still open.
 */
const publishesOverAfter = '10 minutes'

/** Marks the deleted endpoints that have no delivery and can get none any more, and locks their rows. */
const markEmptiedStatement = defineStatement({
  name: 'mark-emptied-endpoints',
  takes: {},
  gives: {},
  sql: `
  UPDATE webhook_endpoints e SET emptied_at = now()
  WHERE deleted_at < now() - interval '${publishesOverAfter}' AND emptied_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM pending_deliveries p WHERE p.endpoint_id = e.id)`,
})

/** The most endpoints that one call of {@link purgeDeletedEndpoints} removes. */
const purgedMax = 500

/**
 * Removes endpoints, with their schedules, failures and recoveries, 30 days after they were deleted and emptied. Keeps
 * an endpoint as long as a delivery refers to it.
 *
 * @returns the number of endpoints removed.
 */
export async function purgeDeletedEndpoints({ pool }: Database): Promise<number> {
  // An emptied endpoint gets no further deliveries, so the result of the first statement stays true.
  const rows = await run(pool, findPurgeable, {})
  return execute(pool, purgeStatement, { ids: rows.map(({ id }) => id) })
}

/** Returns endpoints that no delivery refers to any more. Locks nothing. */
const findPurgeable = defineStatement({
  name: 'find-purgeable-endpoints',
  takes: {},
  gives: { id: uuid },
  sql: `
    SELECT id FROM (
      SELECT id FROM webhook_endpoints WHERE emptied_at < now() - make_interval(days => ${recordsKeptDays})
      ORDER BY emptied_at LIMIT ${purgedMax}
    ) e
    WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id)`,
})

/** Deletes endpoints with everything that belongs to them. */
const purgeStatement = defineStatement({
  name: 'purge-endpoints',
  takes: { ids: listOf(uuid) },
  gives: {},
  sql: 'DELETE FROM webhook_endpoints WHERE id = ANY (:ids)',
})
