import type { FinishedAttempt } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import { quickCommit, type Database } from '../database/database.ts'
import { defineDayStatement, groupByRecentDay } from '../database/day-statements.ts'
import { readSql } from '../database/read-sql.ts'
import { runPrepared } from '../database/statement.ts'
import { isAwaited, lockMs } from './renew-leases.ts'

const { int, listOf, notNull, nullable, time, uuid } = types

/**
 * Records successes with a short statement (packages/postgres/README.md#short-statements). Leaves out what it does not
 * handle, and those of an endpoint that also has other attempts here, because failures are counted in order.
 *
 * @returns the ids of the deliveries whose attempts were recorded.
 */
export async function recordSuccesses(
  database: Database,
  finished: readonly FinishedAttempt[],
): Promise<Set<string>> {
  const others = finished.filter((each) => !isSuccess(each))
  const excepted = new Set(others.map(({ endpointId }) => endpointId))
  const successes = finished.filter(({ endpointId }) => !excepted.has(endpointId))
  const recorded = new Set<string>()
  for (const [day, ofDay] of groupByRecentDay(successes, ({ deliveryId }) => deliveryId)) {
    const rows = await runPrepared(database, successesStatement.on(day), toAttemptValues(ofDay))
    for (const { deliveryId } of rows) recorded.add(deliveryId)
  }
  return recorded
}

const isSuccess = ({ outcome, nextStep, timedOut }: FinishedAttempt): boolean =>
  nextStep.status === 'succeeded' && outcome.errorClass === null && !timedOut

/** The types of {@link toAttemptValues}. One element per attempt in each list. */
export const attemptTypes = {
  deliveryIds: listOf(uuid),
  leaseIds: listOf(uuid),
  attemptIds: listOf(uuid),
  numbers: listOf(int),
  startedAt: listOf(time),
  durationsMs: listOf(int),
  statusCodes: listOf(nullable(int)),
}

/** Attempts that were made, as lists. */
export const toAttemptValues = (finished: readonly FinishedAttempt[]) => ({
  deliveryIds: finished.map(({ deliveryId }) => deliveryId),
  leaseIds: finished.map(({ leaseId }) => leaseId),
  attemptIds: finished.map(({ attemptId }) => attemptId),
  numbers: finished.map(({ number }) => number),
  startedAt: finished.map(({ startedAt }) => startedAt),
  durationsMs: finished.map(({ durationMs }) => durationMs),
  statusCodes: finished.map(({ outcome }) => outcome.statusCode),
})

/** Records successes of healthy endpoints, whose deliveries and events are of the day. */
const successesStatement = defineDayStatement((partitionOf) => ({
  name: 'record-successes',
  takes: attemptTypes,
  gives: { deliveryId: notNull(uuid, 'given') },
  sql: readSql('record-successes', {
    quickCommit,
    isAwaited,
    lockMs,
    events: partitionOf('events'),
    deliveries: partitionOf('deliveries'),
  }),
}))
