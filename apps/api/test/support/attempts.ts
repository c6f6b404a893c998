import { createUuidv7 } from '@hosting/core/ids'
import type { AttemptOutcome, NextStep } from '@hosting/core/webhooks'
import { claimAttempts, finishAttempts } from '@hosting/postgres/deliveries'
import { randomUUID } from 'node:crypto'
import { buildFinished } from '../../../../packages/postgres/test/support/fixtures.ts'
import { buildTaken } from '../../../../test/support/attempts.ts'
import type { TestApi } from '../../../../test/support/api.ts'

/** Makes the next attempt of a delivery due, and claims it as a worker does; gives the lease. */
export async function startAttempt(
  { database }: TestApi,
  deliveryId: string,
  number: number,
): Promise<string> {
  await database.pool.query(
    'UPDATE pending_deliveries SET due_at = least(due_at, now()) WHERE delivery_id = $1',
    [deliveryId],
  )
  const leaseId = randomUUID()
  const claimed = await claimAttempts(
    database,
    [buildTaken({ deliveryId, number, leaseId })],
    60_000,
  )
  if (claimed.length !== 1) throw new Error(`Attempt ${number} of ${deliveryId} is not free.`)
  return leaseId
}

/** What came of an attempt that a test makes. */
export interface MadeAttempt {
  readonly outcome: AttemptOutcome
  readonly nextStep: NextStep
  readonly startedAt?: Date
  readonly durationMs?: number
}

export const success: MadeAttempt = {
  outcome: { statusCode: 204, errorClass: null },
  nextStep: { status: 'succeeded' },
}

export const failure: MadeAttempt = {
  outcome: { statusCode: 500, errorClass: 'http_error' },
  nextStep: { status: 'waiting_retry', delayMs: 60_000 },
}

export const lastFailure: MadeAttempt = {
  outcome: { statusCode: null, errorClass: 'timeout' },
  nextStep: { status: 'dead' },
}

/** Makes attempts of a delivery, one after the other, as workers do; gives their ids. */
export async function makeAttempts(
  api: TestApi,
  deliveryId: string,
  attempts: readonly MadeAttempt[],
): Promise<string[]> {
  const ids: string[] = []
  for (const [index, { startedAt = new Date(), durationMs = 12, ...made }] of attempts.entries()) {
    const number = index + 1
    const leaseId = await startAttempt(api, deliveryId, number)
    const attemptId = createUuidv7()
    await finishAttempts(api.database, [
      buildFinished({ deliveryId, number, leaseId, attemptId, startedAt, durationMs, ...made }),
    ])
    ids.push(attemptId)
  }
  return ids
}
