import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import {
  defineHotStatement,
  defineStatement,
  executeIn,
  runPrepared,
} from '../database/statement.ts'

const { float, int, notNull, nullable, uuid } = types

/** How far ahead of its due time the relay takes a delivery, in ms. */
export const relayHorizonMs = 1_000

/**
 * A part of a statement that makes the relay look at endpoints in time. It adds one row per endpoint,
 * unless an early enough row exists. A row that is about to be processed does not count: the relay would
 * look before the caller commits, and find nothing. Rows are only inserted and deleted, never updated, so
 * no publish waits for another.
 *
 * @param source - a part of the statement with the columns `endpoint_id`, `tenant_id`, `slow` and `at`.
 */
export const wakeEndpoints = (source: string): string => `
  INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, slow, at)
  SELECT n.endpoint_id, n.tenant_id, n.slow, n.at FROM (
    SELECT endpoint_id, tenant_id, bool_or(slow) AS slow, min(at) AS at FROM ${source} GROUP BY endpoint_id, tenant_id
  ) n
  WHERE NOT EXISTS (
    SELECT FROM endpoint_wakeups w
    WHERE w.endpoint_id = n.endpoint_id AND w.at >= statement_timestamp() + interval '5 seconds' AND w.at <= n.at OFFSET 0
  )`

/** Makes the relay look at the endpoint once the transaction commits. */
export const wakeEndpoint = (tx: Transaction, endpointId: string): Promise<unknown> =>
  executeIn(tx, wakeStatement, { endpointId })

/** Makes the relay look at an endpoint once the transaction commits. */
export const wakeStatement = defineStatement({
  name: 'wake-endpoint',
  takes: { endpointId: uuid },
  gives: {},
  sql: `
    INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at)
    SELECT id, tenant_id, now() FROM webhook_endpoints WHERE id = :endpointId`,
})

/** The result of one call of {@link restoreWakeups}. */
export interface WakeupSlice {
  /** The last endpoint of the slice. `undefined` at the end of the walk. */
  readonly lastEndpointId: string | undefined
  /** The number of endpoints without a timely wake-up. */
  readonly restored: number
}

/** The parameters of {@link restoreWakeups}. */
export interface WakeupWalk {
  /** Where the previous slice ended. `undefined` to start from the first endpoint. */
  readonly afterEndpointId: string | undefined
  readonly endpointsMax: number
  /** The longest time that a job or a lease can hold a due delivery, in ms. */
  readonly heldMsMax: number
}

const firstEndpointId = '00000000-0000-0000-0000-000000000000'

/**
 * Walks a slice of the endpoints with unfinished deliveries, and adds a wake-up to each endpoint without
 * a timely one. A wake-up can be missing for deliveries that were moved from another installation, or whose
 * transaction took longer than {@link wakeEndpoints} allows for. The slice limits the cost.
 */
export async function restoreWakeups(
  database: Database,
  { afterEndpointId = firstEndpointId, endpointsMax, heldMsMax }: WakeupWalk,
): Promise<WakeupSlice> {
  const [row] = await runPrepared(database, restoreStatement, {
    afterEndpointId,
    endpointsMax,
    heldMsMax,
  })
  const { last, walked, restored } = row!
  return { lastEndpointId: walked < endpointsMax ? undefined : last!, restored }
}

/** Returns the end of the slice, and locks the state of the endpoints whose wake-ups it restores. */
const restoreStatement = defineHotStatement({
  name: 'restore-wakeups',
  takes: { afterEndpointId: uuid, endpointsMax: int, heldMsMax: float },
  gives: { last: nullable(uuid), walked: notNull(int, 'count'), restored: notNull(int, 'count') },
  sql: `
  WITH RECURSIVE step AS (
    (SELECT endpoint_id, tenant_id, due_at, 1 AS number FROM pending_deliveries WHERE endpoint_id > :afterEndpointId
     ORDER BY endpoint_id, due_at LIMIT 1)
    UNION ALL
    SELECT next.endpoint_id, next.tenant_id, next.due_at, step.number + 1 FROM step CROSS JOIN LATERAL (
      SELECT p.endpoint_id, p.tenant_id, p.due_at FROM pending_deliveries p WHERE p.endpoint_id > step.endpoint_id
      ORDER BY p.endpoint_id, p.due_at LIMIT 1
    ) next
    WHERE step.number < :endpointsMax
  ), open AS (
    SELECT step.*, s.due_from, coalesce(s.slow_until > now(), false) AS slow,
      step.due_at - ${relayHorizonMs} * interval '1 ms' AS look_at
    FROM step
    JOIN webhook_endpoints e ON e.id = step.endpoint_id AND is_open(e)
    LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = e.id
  ), hidden AS (
    UPDATE webhook_endpoint_schedules s SET due_from = NULL
    FROM open WHERE s.endpoint_id = open.endpoint_id AND open.due_at < open.due_from
  ), restored AS (
    INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, slow, at)
    SELECT endpoint_id, tenant_id, slow, greatest(look_at, now()) FROM open
    WHERE due_at < due_from OR NOT EXISTS (
      SELECT FROM endpoint_wakeups w WHERE w.endpoint_id = open.endpoint_id
        AND w.at <= greatest(look_at, now() + :heldMsMax * interval '1 ms') OFFSET 0
    )
    RETURNING endpoint_id
  )
  SELECT (SELECT endpoint_id FROM step ORDER BY number DESC LIMIT 1) AS last,
    (SELECT count(*)::int FROM step) AS walked, (SELECT count(*)::int FROM restored) AS restored`,
})
