import { types, type ColumnType } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { runTransaction } from '../database/transaction.ts'
import { defineStatement, execute, executeIn, run } from '../database/statement.ts'
import { inFlight } from './delivery-select.ts'
import { wakeEndpoint, wakeStatement } from './endpoint-wakeups.ts'
import { turnBy } from './fairness.ts'

const { int, named, notNull, nullable, text, uuid } = types

/** A time as PostgreSQL writes it, with microseconds. */
const instant: ColumnType<string | null> = nullable(named('timestamptz'))

/** The most deliveries that one transaction makes due. A request reports this number for this number or more. */
export const retriedNowMax = 10_000

/**
 * Makes retries of an endpoint due, those that are due next first. The time is that of the statement and not of the
 * transaction, which may have waited for another request to make the same deliveries due. It locks the deliveries, and
 * waits for those that another transaction has locked.
 */
const retryStatement = defineStatement({
  name: 'retry-endpoint-now',
  takes: {
    endpointId: uuid,
    /** Only deliveries whose last attempt was before. */
    attemptedBefore: instant,
    countMax: int,
  },
  gives: {},
  sql: `
    WITH waiting AS MATERIALIZED (
      SELECT p.delivery_id FROM pending_deliveries p
      WHERE p.endpoint_id = :endpointId AND p.due_at > statement_timestamp() AND p.attempts_made > 0
        AND NOT (${inFlight}) AND (:attemptedBefore IS NULL OR p.last_attempt_at < :attemptedBefore)
      ORDER BY p.due_at LIMIT :countMax FOR UPDATE
    )
    UPDATE pending_deliveries p SET due_at = statement_timestamp(), starts_at = NULL
    FROM waiting WHERE p.delivery_id = waiting.delivery_id`,
})

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
  const values = { endpointId, attemptedBefore: null, countMax }
  const count = await executeIn(tx, retryStatement, values)
  if (count === 0) return 0
  await wakeEndpoint(tx, endpointId)
  if (count === countMax) {
    await executeIn(tx, requestStatement, { endpointId })
  }
  return count
}

/** Requests a retry of an endpoint, or renews the request. */
const requestStatement = defineStatement({
  name: 'request-retry',
  takes: { endpointId: uuid },
  gives: {},
  sql: `
    INSERT INTO webhook_retries (endpoint_id, requested_at) VALUES (:endpointId, statement_timestamp())
    ON CONFLICT (endpoint_id) DO UPDATE SET requested_at = EXCLUDED.requested_at`,
})

/** The retries of an endpoint, each number at most {@link retriedNowMax}. */
export interface RetryCounts {
  /** Those that {@link retryEndpointNow} would make due. */
  readonly waiting: number
  /** Those that are due or in progress. */
  readonly due: number
}

/** Counts the retries of an endpoint. */
export async function countRetries(
  { pool }: Pick<Database, 'pool'>,
  endpointId: string,
): Promise<RetryCounts> {
  const [row] = await run(pool, countStatement, { endpointId, countMax: retriedNowMax })
  return row!
}

const countWhere = (condition: string): string => `
      SELECT count(*)::int FROM (
        SELECT FROM pending_deliveries p
        WHERE p.endpoint_id = :endpointId AND p.attempts_made > 0 AND ${condition}
        LIMIT :countMax
      ) counted`

/** Returns the numbers of deliveries that wait for a retry and that are being retried, up to a limit. Locks nothing. */
const countStatement = defineStatement({
  name: 'count-retries',
  takes: { endpointId: uuid, countMax: int },
  gives: { waiting: notNull(int, 'count'), due: notNull(int, 'count') },
  sql: `
    SELECT (${countWhere(`p.due_at > statement_timestamp() AND NOT (${inFlight})`)}
    ) AS waiting, (${countWhere('p.due_at <= statement_timestamp()')}
    ) AS due`,
})

/**
 * Makes the retry of one delivery due now, of an enabled endpoint that the transaction has locked.
 *
 * @returns whether the delivery was waiting for a retry.
 */
export async function retryDeliveryNow(
  tx: Transaction,
  { deliveryId, endpointId }: { deliveryId: string; endpointId: string },
): Promise<boolean> {
  const count = await executeIn(tx, retryOneStatement, { deliveryId })
  if (count > 0) await wakeEndpoint(tx, endpointId)
  return count > 0
}

/** Makes a retry due now, unless the attempt is in progress. */
const retryOneStatement = defineStatement({
  name: 'retry-delivery-now',
  takes: { deliveryId: uuid },
  gives: {},
  sql: `
    UPDATE pending_deliveries p SET due_at = least(due_at, statement_timestamp()), starts_at = NULL
    WHERE delivery_id = :deliveryId AND attempts_made > 0 AND NOT (${inFlight})`,
})

/**
 * Continues the retries of endpoints with many waiting deliveries, in one transaction per endpoint. Tenants take
 * turns. A delivery that has failed again since the request is not made due a second time. Any number of processes may
 * call it.
 *
 * @returns the number of deliveries made due.
 * @throws the first error, after every endpoint has had its turn.
 */
export async function continueRetries(
  database: Pick<Database, 'pool'>,
  countMax = retriedNowMax,
): Promise<number> {
  const errors: unknown[] = []
  let total = 0
  for (const { endpointId } of await run(database.pool, turnsStatement, { endpointsMax })) {
    try {
      total += await continueRetry(database, endpointId, countMax)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return total
}

/** The most endpoints that one call of {@link continueRetries} continues. */
const endpointsMax = 10

/**
 * Returns endpoints with requests, tenants in turn, each one's oldest request first. The order of the tenants is random, so
 * that those whose requests stay keep no other waiting. It locks nothing.
 */
const turnsStatement = defineStatement({
  name: 'list-retries-in-turn',
  takes: { endpointsMax: int },
  gives: { endpointId: uuid },
  sql: `
    SELECT endpoint_id FROM (
      SELECT r.endpoint_id, ${turnBy('r.requested_at, r.endpoint_id', 'e.tenant_id')} AS turn
      FROM webhook_retries r JOIN webhook_endpoints e ON e.id = r.endpoint_id
    ) requested
    ORDER BY turn, random() LIMIT :endpointsMax`,
})

const continueRetry = (
  database: Pick<Database, 'pool'>,
  endpointId: string,
  countMax: number,
): Promise<number> =>
  runTransaction(database, async (client) => {
    const [request] = await run(client, lockRequestStatement, { endpointId })
    if (!request) return 0
    const values = { endpointId, attemptedBefore: request.requestedAt, countMax }
    const count = await execute(client, retryStatement, values)
    if (count > 0) await execute(client, wakeStatement, { endpointId })
    if (count < countMax) {
      await client.query('DELETE FROM webhook_retries WHERE endpoint_id = $1', [endpointId])
    }
    return count
  })

/** Returns the time of a request, and locks it unless another transaction has. */
const lockRequestStatement = defineStatement({
  name: 'lock-retry-request',
  takes: { endpointId: uuid },
  gives: { requestedAt: notNull(text, 'the column is never null') },
  sql: `
    SELECT requested_at::text FROM webhook_retries WHERE endpoint_id = :endpointId
    FOR UPDATE SKIP LOCKED`,
})
