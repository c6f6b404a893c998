import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { finishStatement, valuesOf } from './finish-attempts.ts'

const { uuid } = types

/** How long the delivery waits for a lock, in ms. The record of the attempt sets its own limit. */
const lockMs = 1_000

/**
 * Whether attempts can be recorded: the tables are neither locked nor full, and the database is writable.
 * Records an attempt of a delivery that exists only in a transaction, and rolls it back.
 */
export async function canRecordAttempts({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
  const id = createUuidv7()
  const attempt = {
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
    nextStep: { status: 'succeeded' },
  } as const
  try {
    const client = await pool.connect()
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockMs}`)
      await run(client, makeDelivery, { id })
      await run(client, finishStatement, valuesOf([attempt]))
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

/** Adds a delivery and its row of the queue. */
const makeDelivery = defineStatement({
  name: 'make-test-delivery',
  takes: { id: uuid },
  gives: {},
  sql: `
  WITH made AS (
    INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at)
    VALUES (:id, :id, :id, :id, :id, 'webhook.ping', now())
  )
  INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until, lease_id)
  VALUES (:id, :id, :id, :id, now(), now(), :id)`,
})
