import { expect, test } from '@jest/globals'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { findPending, findRecord } from '../../../../packages/postgres/test/support/fixtures.ts'
import { useAttempts } from '../support/attempts.ts'

const database = useDatabase()
const { openWorker, makeDelivery } = useAttempts(database)

/** Creates a delivery that is held for its job, and locks its row. */
async function makeLocked() {
  const { receiver, deliveryId } = await makeDelivery()
  await database.pool.query(
    `UPDATE pending_deliveries SET held_until = now() + interval '60 s' WHERE delivery_id = $1`,
    [deliveryId],
  )
  const other = await database.pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT FROM pending_deliveries WHERE delivery_id = $1 FOR UPDATE', [
    deliveryId,
  ])
  return {
    receiver,
    deliveryId,
    unlock: () => other.query('ROLLBACK'),
    release: () => other.release(),
  }
}

test('an attempt whose row is locked for a moment is made as soon as the lock is released', async () => {
  const { receiver, deliveryId, unlock, release } = await makeLocked()
  let claims = 0
  const makeAttempt = await openWorker({
    async 'claim-unthrottled-attempts'() {
      claims += 1
      if (claims === 3) await unlock()
    },
  })
  await makeAttempt(deliveryId).finally(release)
  expect(claims).toBe(3)
  expect(receiver.requests).toHaveLength(1)
  expect(await findRecord(database, deliveryId)).toMatchObject({
    outcome: 'succeeded',
    attempts: [1],
  })
})

test('an attempt whose row stays locked waits for the end of its hold, and none is used up', async () => {
  const { receiver, deliveryId, release } = await makeLocked()
  const makeAttempt = await openWorker({})
  await makeAttempt(deliveryId).finally(release)
  expect(receiver.requests).toEqual([])
  const pending = await findPending(database, deliveryId)
  expect(pending).toMatchObject({ attempts_made: 0, lease_id: null })
  expect(pending!.held_for_ms).toBeGreaterThan(0)
})
