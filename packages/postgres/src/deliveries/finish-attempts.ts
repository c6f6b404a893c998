import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { slowLaneMs, type FinishedAttempt } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import { quickCommit, type Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, defineStatement, run, runPrepared } from '../database/statement.ts'
import { relayHorizonMs, wakeEndpoints } from './endpoint-wakeups.ts'
import { attemptTypes, recordSuccesses, toAttemptValues } from './record-successes.ts'
import { isAwaited, lockMs } from './renew-leases.ts'

const { bool, float, listOf, notNull, nullable, text, uuid } = types

/**
 * Records attempts and the new state of their deliveries in one transaction. Ignores an attempt that
 * another process has claimed since, which records its own attempt. A lease that ended, and that nobody else
 * has, is no obstacle. The commit does not wait for the disk: if the server crashes within a second, the delivery may be
 * queued again, and is then sent once more (docs/specification/deliveries.md).
 *
 * @returns the ids of the deliveries whose attempts were recorded.
 * @throws PartlyRecorded if some attempts were recorded, and others were not. After another error, none was.
 */
export async function finishAttempts(
  database: Database,
  finished: readonly FinishedAttempt[],
): Promise<Set<string>> {
  const recorded = await recordSuccesses(database, finished)
  const others = finished.filter(({ deliveryId }) => !recorded.has(deliveryId))
  if (others.length === 0) return recorded
  try {
    const rows = await runPrepared(database, finishStatement, valuesOf(others))
    return new Set([...recorded, ...rows.map(({ deliveryId }) => deliveryId)])
  } catch (error) {
    throw recorded.size === 0 ? error : new PartlyRecorded(recorded, error)
  }
}

/** Some attempts of a call were recorded before an error. */
export class PartlyRecorded extends Error {
  /** The ids of the deliveries whose attempts were recorded. */
  readonly recorded: ReadonlySet<string>

  constructor(recorded: ReadonlySet<string>, cause: unknown) {
    super('Some attempts were recorded, and others were not', { cause })
    this.recorded = recorded
  }
}

/** The values of {@link finishStatement}. */
const valuesOf = (finished: readonly FinishedAttempt[]) => ({
  ...toAttemptValues(finished),
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

/** Records attempts: changes the queue, and writes the records. */
const finishStatement = defineHotStatement({
  name: 'finish-attempts',
  takes: {
    ...attemptTypes,
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
