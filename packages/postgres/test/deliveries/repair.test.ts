import { lowestUuidv7 } from '@hosting/core/ids'
import { makePartitions } from '@hosting/postgres/database'
import { findOpenDeliveries, finishAttempts, repairDeliveries } from '@hosting/postgres/deliveries'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  failAttempt,
  findPending,
  findRecord,
  letWakeupsCome,
  makeSubscriber,
  publish,
  removeEndpoint,
  succeed,
} from '../support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

const attemptsMax = 7
const repair = (...ids: string[]) => repairDeliveries(database, ids, attemptsMax)

/** Leaves deliveries as a defect did: without a row in the queue, and without an outcome. */
async function leaveOpen(...ids: string[]): Promise<void> {
  await database.pool.query('DELETE FROM pending_deliveries WHERE delivery_id = ANY ($1)', [ids])
  await database.pool.query(
    `INSERT INTO delivery_attempts
     SELECT last_attempt_id, id, endpoint_id, tenant_id, attempt_count, last_started_at, last_duration_ms,
       last_status_code, last_error_class
     FROM deliveries WHERE id = ANY ($1) AND last_attempt_id IS NOT NULL`,
    [ids],
  )
  await database.pool.query(
    `UPDATE deliveries SET outcome = NULL, dead = false, attempt_count = 0, completed_at = NULL, last_attempt_id = NULL
     WHERE id = ANY ($1)`,
    [ids],
  )
}

async function publishOne() {
  const subscriber = await makeSubscriber(database)
  const [deliveryId] = await publish(database, subscriber.tenantId)
  return { ...subscriber, deliveryId: deliveryId! }
}

describe('findOpenDeliveries', () => {
  test('finds deliveries that have neither ended nor are in the queue, one range of ids at a time', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 5 })
    await succeed(database, ids.slice(0, 4))
    await leaveOpen(ids[1]!, ids[3]!)
    const found: string[] = []
    let parts = 0
    let afterId: string | undefined = lowestUuidv7(0)
    while (afterId !== undefined) {
      const part = await findOpenDeliveries(database, { afterId, rowsMax: 2 })
      found.push(...part.ids)
      parts += 1
      afterId = part.lastId
    }
    expect(found).toEqual([ids[1], ids[3]])
    expect(parts).toBeGreaterThan(1)
    await repair(...found)
  })
})

describe('repairDeliveries', () => {
  test('ends a delivery with the outcome and the time of its successful attempt', async () => {
    const { deliveryId } = await publishOne()
    await failAttempt(database, deliveryId)
    const leaseId = await claim(database, deliveryId, 2)
    const startedAt = new Date(Date.now() - 60_000)
    await finishAttempts(database, [
      buildFinished({ deliveryId, leaseId: leaseId!, number: 2, startedAt, durationMs: 1_500 }),
    ])
    await leaveOpen(deliveryId)
    expect(await repair(deliveryId)).toEqual({ succeeded: 1, dead: 0, queued: 0 })
    expect(await findRecord(database, deliveryId)).toEqual({
      outcome: 'succeeded',
      attempt_count: 2,
      completed_at: new Date(startedAt.getTime() + 1_500),
      attempts: [1, 2],
    })
  })

  test('ends a delivery whose last retry failed as dead, so that a recovery finds it', async () => {
    const { deliveryId } = await publishOne()
    for (let number = 1; number <= attemptsMax; number++) {
      await failAttempt(database, deliveryId, { number })
    }
    await leaveOpen(deliveryId)
    expect(await repair(deliveryId)).toEqual({ succeeded: 0, dead: 1, queued: 0 })
    const { rows } = await database.pool.query(
      'SELECT outcome, dead FROM deliveries WHERE id = $1',
      [deliveryId],
    )
    expect(rows).toEqual([{ outcome: 'dead', dead: true }])
  })

  test('returns an unfinished delivery to the queue with its attempts', async () => {
    const [untried, retried] = [await publishOne(), await publishOne()]
    await failAttempt(database, retried.deliveryId)
    await leaveOpen(untried.deliveryId, retried.deliveryId)
    await database.pool.query('DELETE FROM endpoint_wakeups')
    const repaired = await repair(untried.deliveryId, retried.deliveryId)
    expect(repaired).toEqual({ succeeded: 0, dead: 0, queued: 2 })
    expect(await findPending(database, untried.deliveryId)).toMatchObject({ attempts_made: 0 })
    expect(await findPending(database, retried.deliveryId)).toMatchObject({ attempts_made: 1 })
    await letWakeupsCome(database)
    const { rows } = await database.pool.query(
      'SELECT endpoint_id FROM endpoint_wakeups ORDER BY 1',
    )
    const endpoints = [untried.endpointId, retried.endpointId].toSorted()
    expect(rows.map((row) => row.endpoint_id)).toEqual(endpoints)
    expect(await claim(database, retried.deliveryId, 2)).toBeDefined()
  })

  test('ends a delivery of a deleted endpoint as dead', async () => {
    const { deliveryId, endpointId } = await publishOne()
    await removeEndpoint(database, endpointId)
    await leaveOpen(deliveryId)
    expect(await repair(deliveryId)).toEqual({ succeeded: 0, dead: 1, queued: 0 })
    expect(await findRecord(database, deliveryId)).toMatchObject({
      outcome: 'dead',
      attempt_count: 0,
    })
  })

  test('leaves deliveries that are in the queue or ended', async () => {
    const [waiting, ended] = [await publishOne(), await publishOne()]
    await succeed(database, [ended.deliveryId])
    const before = await findRecord(database, ended.deliveryId)
    expect(await repair(waiting.deliveryId, ended.deliveryId)).toEqual({
      succeeded: 0,
      dead: 0,
      queued: 0,
    })
    expect(await findRecord(database, ended.deliveryId)).toEqual(before)
    expect(await findRecord(database, waiting.deliveryId)).toMatchObject({ outcome: null })
  })

  test('concurrent calls repair each delivery once', async () => {
    const deliveries = await Promise.all(Array.from({ length: 4 }, publishOne))
    const ids = deliveries.map(({ deliveryId }) => deliveryId)
    await leaveOpen(...ids)
    const results = await Promise.all(
      Array.from({ length: 4 }, (_, index) => repair(...(index % 2 ? ids : ids.toReversed()))),
    )
    expect(results.reduce((sum, { queued }) => sum + queued, 0)).toBe(4)
  })
})
