import { describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import { claim, failAttempt, findPending, makeSubscriber, publish } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

describe('an attempt whose job arrives before it is due', () => {
  test('is postponed, and the relay takes it when it is due', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await failAttempt(database, deliveryId!, { delayMs: 60_000 })
    // The relay has processed the wake-up and created the job.
    await database.pool.query('DELETE FROM endpoint_wakeups WHERE endpoint_id = $1', [endpointId])
    expect(await claim(database, deliveryId!, 2)).toBeUndefined()
    const pending = (await findPending(database, deliveryId!))!
    expect(pending).toMatchObject({ attempts_made: 1, lease_id: null })
    expect(pending.held_for_ms).toBeLessThan(0)
    const { rows } = await database.pool.query(
      `SELECT FROM endpoint_wakeups w JOIN pending_deliveries p USING (endpoint_id)
       WHERE endpoint_id = $1 AND w.at = p.due_at`,
      [endpointId],
    )
    expect(rows.length).toBe(1)
  })
})
