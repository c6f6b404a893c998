import type { FinishedAttempt } from '@hosting/core/webhooks'
import { createUuidv7 } from '@hosting/core/ids'
import { finishAttempts, takeDueAttempts } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { rollingBack, useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  failAttempt,
  findPending,
  findRecord,
  lapseHold,
  makeSubscriber,
  publish,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

/** A delivery whose first attempt is in progress. */
async function makeClaimed() {
  const subscriber = await makeSubscriber(database)
  const [deliveryId] = await publish(database, subscriber.tenantId)
  const leaseId = await claim(database, deliveryId!)
  return { ...subscriber, deliveryId: deliveryId!, leaseId: leaseId! }
}

const finish = async (...finished: FinishedAttempt[]) => [
  ...(await finishAttempts(database, finished)),
]

const failed = { statusCode: 502, errorClass: 'http_error' } as const
const nothingRecorded = { outcome: null, attempt_count: 0, completed_at: null, attempts: [] }
const onlyAttempted = { ...nothingRecorded, attempt_count: 1, attempts: [1] }

describe('finishAttempts', () => {
  test('a success ends the delivery', async () => {
    const { deliveryId, leaseId } = await makeClaimed()
    expect(await finish(buildFinished({ deliveryId, leaseId }))).toEqual([deliveryId])
    expect(await findPending(database, deliveryId)).toBeUndefined()
    const record = await findRecord(database, deliveryId)
    expect(record).toMatchObject({ outcome: 'succeeded', attempt_count: 1, attempts: [1] })
    expect(Math.abs(record.completed_at!.getTime() - Date.now())).toBeLessThan(5_000)
  })

  test('records every member of the attempt', async () => {
    const { deliveryId, leaseId, tenantId, endpointId } = await makeClaimed()
    const attemptId = createUuidv7()
    const startedAt = new Date('2026-05-01T10:00:00.123Z')
    const outcome = { statusCode: null, errorClass: 'dns_error' } as const
    const nextStep = { status: 'dead' } as const
    await finish(
      buildFinished({
        deliveryId,
        leaseId,
        attemptId,
        startedAt,
        durationMs: 0,
        outcome,
        nextStep,
      }),
    )
    const { rows } = await database.pool.query('SELECT * FROM recorded_attempts WHERE id = $1', [
      attemptId,
    ])
    expect(rows).toEqual([
      {
        id: attemptId,
        delivery_id: deliveryId,
        endpoint_id: endpointId,
        tenant_id: tenantId,
        number: 1,
        started_at: startedAt,
        duration_ms: 0,
        status_code: null,
        error_class: 'dns_error',
      },
    ])
    expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: 'dead' })
  })

  test('a retry is due after its delay and available to the relay', async () => {
    const { deliveryId, leaseId } = await makeClaimed()
    const nextStep = { status: 'waiting_retry', delayMs: 300_000 } as const
    expect(await finish(buildFinished({ deliveryId, leaseId, outcome: failed, nextStep }))).toEqual(
      [deliveryId],
    )
    const row = await findPending(database, deliveryId)
    expect(row).toMatchObject({ attempts_made: 1, lease_id: null })
    expect(row!.due_in_ms).toBeGreaterThan(295_000)
    expect(row!.due_in_ms).toBeLessThanOrEqual(300_000)
    expect(row!.held_for_ms).toBeLessThan(0)
    expect(await findRecord(database, deliveryId)).toEqual(onlyAttempted)
  })

  test('seven attempts are kept, each with its number', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    for (let number = 1; number <= 6; number++) await failAttempt(database, deliveryId!, { number })
    const leaseId = await claim(database, deliveryId!, 7)
    const nextStep = { status: 'dead' } as const
    await finish(
      buildFinished({
        deliveryId: deliveryId!,
        leaseId: leaseId!,
        number: 7,
        outcome: failed,
        nextStep,
      }),
    )
    expect(await findRecord(database, deliveryId!)).toMatchObject({
      outcome: 'dead',
      attempt_count: 7,
      attempts: [1, 2, 3, 4, 5, 6, 7],
    })
  })

  test('an empty list changes nothing', async () => {
    expect(await finish()).toEqual([])
  })
})

describe('a lost lease', () => {
  test('drops the result: the process that took over the attempt records its own', async () => {
    const { deliveryId, leaseId: lost } = await makeClaimed()
    await lapseHold(database, deliveryId)
    const held = await claim(database, deliveryId)
    expect(await finish(buildFinished({ deliveryId, leaseId: lost }))).toEqual([])
    expect(await findRecord(database, deliveryId)).toEqual(nothingRecorded)
    expect(await findPending(database, deliveryId)).toMatchObject({ lease_id: held })

    const nextStep = { status: 'dead' } as const
    const own = buildFinished({ deliveryId, leaseId: held!, outcome: failed, nextStep })
    expect(await finish(own)).toEqual([deliveryId])
    expect(await findRecord(database, deliveryId)).toMatchObject({ outcome: 'dead', attempts: [1] })
  })

  test('drops the result even after the other result was recorded and a retry was scheduled', async () => {
    const { deliveryId, leaseId: lost } = await makeClaimed()
    await lapseHold(database, deliveryId)
    await failAttempt(database, deliveryId)
    expect(await finish(buildFinished({ deliveryId, leaseId: lost }))).toEqual([])
    expect(await findRecord(database, deliveryId)).toEqual(onlyAttempted)
    expect(await findPending(database, deliveryId)).toMatchObject({ attempts_made: 1 })
  })

  test('does not drop the result if the relay released it, and nobody claims the attempt again', async () => {
    const { deliveryId, leaseId: lost } = await makeClaimed()
    await lapseHold(database, deliveryId)
    const many = { normal: 1_000, slow: 1_000 }
    const options = { horizonMs: 0, holdMs: 10_000, perEndpoint: many, max: many }
    const { attempts } = await takeDueAttempts(database, options)
    expect(attempts.map((attempt) => attempt.deliveryId)).toContain(deliveryId)
    expect(await finish(buildFinished({ deliveryId, leaseId: lost }))).toEqual([deliveryId])
    expect(await findRecord(database, deliveryId)).toMatchObject({
      outcome: 'succeeded',
      attempts: [1],
    })
    expect(await claim(database, deliveryId)).toBeUndefined()
  })

  test('is not lost after its expiry until another process takes the delivery', async () => {
    const { deliveryId, leaseId } = await makeClaimed()
    await lapseHold(database, deliveryId)
    expect(await finish(buildFinished({ deliveryId, leaseId }))).toEqual([deliveryId])
  })
})

describe('concurrent results', () => {
  test('are recorded once for the same lease', async () => {
    const { deliveryId, leaseId } = await makeClaimed()
    const results = await Promise.all(
      Array.from({ length: 8 }, () => finish(buildFinished({ deliveryId, leaseId }))),
    )
    expect(results.flat()).toEqual([deliveryId])
    expect(await findRecord(database, deliveryId)).toMatchObject({ attempts: [1] })
  })

  test('in batches of different orders over the same endpoints are all recorded', async () => {
    const subscribers = [await makeSubscriber(database), await makeSubscriber(database)]
    const batches = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const order = index % 2 ? subscribers : subscribers.toReversed()
        return Promise.all(
          order.map(async ({ tenantId }) => {
            const [deliveryId] = await publish(database, tenantId)
            const leaseId = await claim(database, deliveryId!)
            return buildFinished({ deliveryId: deliveryId!, leaseId: leaseId! })
          }),
        )
      }),
    )
    const results = await Promise.all(batches.map((batch) => finish(...batch)))
    const expected = batches.flat().map(({ deliveryId }) => deliveryId)
    expect(results.flat().toSorted()).toEqual(expected.toSorted())
  })

  test('of a batch are recorded except for the lost ones', async () => {
    const [kept, lost] = [await makeClaimed(), await makeClaimed()]
    const results = await finish(
      buildFinished(kept),
      buildFinished({ ...lost, leaseId: randomUUID() }),
    )
    expect(results).toEqual([kept.deliveryId])
    expect(await findPending(database, lost.deliveryId)).toMatchObject({ lease_id: lost.leaseId })
  })
})

describe('the schedule of an endpoint', () => {
  const scheduleOf = (endpointId: string) =>
    database.prisma.webhookEndpointSchedule.findUnique({ where: { endpointId } })

  test('has the start of its latest success and failure, never an earlier one', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const make = async (startedAt: Date, outcome: FinishedAttempt['outcome']) => {
      const [deliveryId] = await publish(database, tenantId)
      const leaseId = await claim(database, deliveryId!)
      const nextStep = { status: outcome.errorClass ? 'dead' : 'succeeded' } as const
      await finish(
        buildFinished({ deliveryId: deliveryId!, leaseId: leaseId!, startedAt, outcome, nextStep }),
      )
    }
    const succeeded = { statusCode: 200, errorClass: null }
    const at = (second: number) => new Date(Date.UTC(2026, 4, 1, 10, 0, second))
    await make(at(30), succeeded)
    expect(await scheduleOf(endpointId)).toMatchObject({
      lastSuccessAt: at(30),
      lastFailureAt: null,
    })
    await make(at(40), failed)
    await make(at(10), succeeded)
    await make(at(20), failed)
    expect(await scheduleOf(endpointId)).toMatchObject({
      lastSuccessAt: at(30),
      lastFailureAt: at(40),
    })
  })

  test('is not changed by a dropped result', async () => {
    const { deliveryId, endpointId } = await makeClaimed()
    await finish(buildFinished({ deliveryId, leaseId: randomUUID() }))
    expect(await scheduleOf(endpointId)).toMatchObject({ lastSuccessAt: null, lastFailureAt: null })
  })

  test('does not delay results while its row is locked', async () => {
    const { deliveryId, leaseId, endpointId } = await makeClaimed()
    await rollingBack(database, async (client) => {
      await client.query(
        'SELECT 1 FROM webhook_endpoint_schedules WHERE endpoint_id = $1 FOR UPDATE',
        [endpointId],
      )
      expect(await finish(buildFinished({ deliveryId, leaseId }))).toEqual([deliveryId])
    })
  })
})
