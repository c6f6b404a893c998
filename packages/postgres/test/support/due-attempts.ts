import { postponeAttempts, takeDueAttempts, type DueLimits } from '@hosting/postgres/deliveries'
import { beforeEach } from '@jest/globals'
import { buildDue } from '../../../../test/support/attempts.ts'
import { useDatabase } from './database.ts'
import { letWakeupsCome, publish } from './fixtures.ts'

export const database = useDatabase({ partitions: true })

beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
})

export const both = (number: number) => ({ normal: number, slow: number })

/** Looks at every endpoint that has a wake-up, or at those given. */
export async function take(options: Partial<DueLimits> = {}, endpointIds?: readonly string[]) {
  await letWakeupsCome(database)
  return takeDueAttempts(
    database,
    { horizonMs: 0, holdMs: 10_000, perEndpoint: both(100), max: both(1_000), ...options },
    endpointIds,
  )
}

export const takeIds = async (...options: Parameters<typeof take>) =>
  (await take(...options)).attempts.map(({ deliveryId }) => deliveryId).toSorted()

/** Postpones attempts that were taken, not claimed, so that they are due again at once. */
export const postpone = (deliveryIds: readonly string[]) =>
  postponeAttempts(
    database,
    deliveryIds.map((deliveryId) => ({ attempt: buildDue({ deliveryId }), forMs: 0 })),
  )

/** Publishes events that are due one second after another. Returns the ids of their deliveries. */
export async function makeBacklog(tenantId: string, count: number): Promise<string[]> {
  const ids = await publish(database, tenantId, { count })
  await database.pool.query(
    `UPDATE pending_deliveries p SET due_at = now() - ($2 - i.rank + 1) * interval '1 second'
     FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, rank) WHERE p.delivery_id = i.id`,
    [ids, count],
  )
  return ids
}
