import { takeDueAttempts, type DueLimits, type DueBatch } from '@hosting/postgres/deliveries'
import { beforeEach } from '@jest/globals'
import { useDatabase } from './database.ts'

export const database = useDatabase({ partitions: true })

beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
  await database.pool.query('DELETE FROM endpoint_wakeups')
})

export const both = (number: number) => ({ normal: number, slow: number })

/** A sweep as the relay makes it: only of the endpoints whose time has come. */
export const sweep = (options: Partial<DueLimits> = {}): Promise<DueBatch> =>
  takeDueAttempts(database, {
    horizonMs: 1_000,
    holdMs: 15_000,
    perEndpoint: both(25),
    max: both(200),
    ...options,
  })

export const idsOf = ({ attempts }: DueBatch) =>
  attempts.map(({ deliveryId }) => deliveryId).toSorted()

export async function wakeups(endpointId: string) {
  const { rows } = await database.pool.query<{ in_ms: number; is_full: boolean; slow: boolean }>(
    `SELECT (extract(epoch FROM at - now()) * 1000)::float8 AS in_ms, is_full, slow FROM endpoint_wakeups
     WHERE endpoint_id = $1 ORDER BY at`,
    [endpointId],
  )
  return rows
}
