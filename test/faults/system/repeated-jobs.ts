import { openAttemptProducer } from '@hosting/redis'
import { setTimeout } from 'node:timers/promises'
import { buildDue } from '../../support/attempts.ts'
import type { TrialSystem } from './trial-system.ts'

const everyMs = 100

/**
 * Adds the jobs of attempts in progress again, as a Redis does that goes back to older data in a failover. A worker must
 * not make these attempts a second time.
 */
export async function repeatJobs(
  { database, servers }: Pick<TrialSystem, 'database' | 'servers'>,
  forMs: number,
): Promise<void> {
  const topology = { nodes: [servers.redis.url()], mode: 'single', shards: 1 } as const
  const producer = openAttemptProducer(topology, () => undefined)
  const until = performance.now() + forMs
  for (let round = 0; performance.now() < until; round++) {
    const { rows } = await database.pool
      .query<AttemptRow>(inProgressQuery)
      .catch(() => ({ rows: [] }))
    const hold = `again-${round}`
    await producer.add(rows.map((row) => buildDue({ ...row, hold })))
    await setTimeout(everyMs)
  }
  await producer.close()
}

interface AttemptRow {
  readonly deliveryId: string
  readonly endpointId: string
  readonly tenantId: string
  readonly number: number
}

const inProgressQuery = `
  SELECT delivery_id AS "deliveryId", endpoint_id AS "endpointId", tenant_id AS "tenantId", attempts_made + 1 AS number
  FROM pending_deliveries WHERE lease_id IS NOT NULL AND held_until > now() ORDER BY random() LIMIT 5`
