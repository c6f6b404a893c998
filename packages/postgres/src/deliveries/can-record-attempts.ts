import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import type { FinishedAttempt } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { finishStatement, valuesOf } from './finish-attempts.ts'

const { listOf, uuid } = types

/** How long the delivery waits for a lock, in ms. The record of the attempt sets its own limit. */
const lockMs = 1_000

/**
 * Whether attempts can be recorded: the tables are neither locked nor full, and the database is writable.
 * Records the last attempt of a delivery and one that is retried, whose deliveries exist only in a transaction, and rolls
 * it back.
 */
export async function canRecordAttempts({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
  const attempts = [
    makeAttempt({ status: 'succeeded' }),
    makeAttempt({ status: 'waiting_retry', delayMs: 0 }),
  ]
  try {
    const client = await pool.connect()
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockMs}`)
      await run(client, makeDeliveries, { ids: attempts.map(({ deliveryId }) => deliveryId) })
      await run(client, finishStatement, valuesOf(attempts))
      await client.query('ROLLBACK')
    } finally {
      // If the transaction is still open, the pool closes the connection.
      client.release()
    }
    return true
  } catch {
    return false
  }
}

/** An attempt of a delivery that has the same id as everything else. */
function makeAttempt(nextStep: FinishedAttempt['nextStep']): FinishedAttempt {
  const id = createUuidv7()
  return {
    state: 'finished',
    deliveryId: id,
    endpointId: id,
    tenantId: id,
    leaseId: id,
    leaseEndsMs: 0,
    attemptId: id,
    number: 1,
    startedAt: currentTime(),
    durationMs: 0,
    outcome: { statusCode: 200, errorClass: null },
    timedOut: false,
    nextStep,
  }
}

/** Adds events and their deliveries. */
const makeDeliveries = defineStatement({
  name: 'make-test-deliveries',
  takes: { ids: listOf(uuid) },
  gives: {},
  sql: `
  WITH made AS (
    INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count)
    SELECT id, id, id, 'webhook.ping', now(), '{}', 1 FROM unnest(:ids) AS t (id)
  )
  INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until, lease_id)
  SELECT id, id, id, id, now(), now(), id FROM unnest(:ids) AS t (id)`,
})
