import { slowLaneMs, type FinishedAttempt } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import { quickCommit, type Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'
import { relayHorizonMs, wakeEndpoints } from './endpoint-wakeups.ts'
import { isAwaited } from './renew-leases.ts'

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
export const valuesOf = (finished: readonly FinishedAttempt[]) => ({
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
 * How long the statement waits for a lock, in ms. Less than the lease lasts after the longest attempt, so that
 * the lease can be renewed before the next try.
 */
const lockMs = 3_000

/** Records attempts: changes the queue, and writes the records. */
export const finishStatement = defineHotStatement({
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
