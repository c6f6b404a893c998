import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { slowLaneMs, type FinishedAttempt } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import { quickCommit, type Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, defineStatement, run, runPrepared } from '../database/statement.ts'
import { relayHorizonMs, wakeEndpoints } from './endpoint-wakeups.ts'

const { bool, float, int, listOf, notNull, nullable, text, time, uuid } = types

/**
 * Records attempts and the new state of their deliveries in one transaction. Ignores an attempt that
 * another process has claimed since, which records its own attempt. A lease that ended, and that nobody else
 * has, is no obstacle. The commit does not wait for the disk: if the server crashes within a second, the delivery may be
 * queued again, and is then sent once more (docs/specification/deliveries.md).
 *
 * @returns the ids of the deliveries whose attempts were recorded.
 * @throws Error if the record of a delivery that ended was not found. Then nothing is recorded.
 */
export async function finishAttempts(
  database: Database,
  finished: readonly FinishedAttempt[],
): Promise<Set<string>> {
  const rows = await runPrepared(database, finishStatement, valuesOf(finished))
  return new Set(rows.map(({ deliveryId }) => deliveryId))
}

/** The values of {@link finishStatement}. */
const valuesOf = (finished: readonly FinishedAttempt[]) => ({
  deliveryIds: finished.map(({ deliveryId }) => deliveryId),
  leaseIds: finished.map(({ leaseId }) => leaseId),
  attemptIds: finished.map(({ attemptId }) => attemptId),
  numbers: finished.map(({ number }) => number),
  startedAt: finished.map(({ startedAt }) => startedAt),
  durationsMs: finished.map(({ durationMs }) => durationMs),
  statusCodes: finished.map(({ outcome }) => outcome.statusCode),
  errorClasses: finished.map(({ outcome }) => outcome.errorClass),
  outcomes: finished.map(({ nextStep }) =>
    nextStep.status === 'waiting_retry' ? null : nextStep.status,
  ),
  delaysMs: finished.map(({ nextStep }) =>
    nextStep.status === 'waiting_retry' ? nextStep.delayMs : null,
  ),
  areTimeouts: finished.map(({ timedOut }) => timedOut),
  slowLaneMs,
})

/**
 * Whether row `p` of the queue still awaits attempt `d`: its lease is that of the attempt, or the lease ended
 * and nobody has claimed the attempt since.
 */
const isAwaited = `(p.lease_id = d.lease_id OR p.lease_id IS NULL AND p.attempts_made = d.number - 1)`

/**
 * How long the statement waits for a lock, in ms. Less than the lease lasts after the longest attempt, so that
 * the lease can be renewed before the next try.
 */
const lockMs = 3_000

/** Records attempts: changes the queue, and writes the records. */
const finishStatement = defineHotStatement({
  name: 'finish-attempts',
  takes: {
    /** One element per attempt in each list. */
    deliveryIds: listOf(uuid),
    leaseIds: listOf(uuid),
    attemptIds: listOf(uuid),
    numbers: listOf(int),
    startedAt: listOf(time),
    durationsMs: listOf(int),
    statusCodes: listOf(nullable(int)),
    errorClasses: listOf(nullable(text)),
    /** Null: the attempt is retried after its delay. */
    outcomes: listOf(nullable(text)),
    delaysMs: listOf(nullable(float)),
    areTimeouts: listOf(bool),
    slowLaneMs: float,
  },
  gives: { deliveryId: notNull(uuid, 'given') },
  sql: readSql('finish-attempts', {
    quickCommit,
    isAwaited,
    wakeEndpoints: wakeEndpoints('waking'),
    relayHorizonMs,
    lockMs,
  }),
})

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

/** How long the delivery waits for a lock, in ms. The record of the attempt sets its own limit. */
const testLockMs = 1_000

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
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${testLockMs}`)
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
