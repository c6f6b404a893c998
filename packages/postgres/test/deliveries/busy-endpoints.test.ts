import { updateEndpoint } from '@hosting/postgres/webhooks'
import { expect, test } from '@jest/globals'
import { until } from '../../../../test/support/until.ts'
import { makeEndpoint, makeSubscriber, makeTenant, publish } from '../support/fixtures.ts'
import { database, idsOf, sweep } from '../support/wakeups.ts'

const tenants = 10
const endpointsPerTenant = 20
const rounds = 3
const publishesPerRound = 5

/** Creates a tenant with endpoints that are throttled to one attempt per second. */
async function makeThrottledTenant(): Promise<string> {
  const tenantId = await makeTenant(database)
  for (let index = 0; index < endpointsPerTenant; index++) {
    const endpointId = await makeEndpoint(database, tenantId)
    await database.prisma.$transaction(async (tx) => {
      await updateEndpoint(tx, endpointId, { rateLimitPerSecond: 1 })
    })
  }
  return tenantId
}

async function countWakeups(tenantIds: readonly string[]): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'SELECT count(*)::int FROM endpoint_wakeups WHERE tenant_id = ANY ($1::uuid[])',
    [tenantIds],
  )
  return rows[0]!.count
}

test('wake-ups of busy throttled endpoints do not accumulate, delay no other endpoint and miss no delivery', async () => {
  const busy = await Promise.all(Array.from({ length: tenants }, makeThrottledTenant))
  const stranger = await makeSubscriber(database)
  const published = new Set<string>()
  const taken = new Set<string>()
  const sweepOnce = async () => {
    for (const id of idsOf(await sweep())) taken.add(id)
  }
  for (let round = 0; round < rounds; round++) {
    for (let count = 0; count < publishesPerRound; count++) {
      const ids = await Promise.all(busy.map((tenantId) => publish(database, tenantId)))
      for (const id of ids.flat()) published.add(id)
    }
    const [strangerId] = await publish(database, stranger.tenantId)
    await sweepOnce()
    await sweepOnce()
    expect(taken).toContain(strangerId)
    // Each endpoint has its next look, also if a round follows before it is due. The second sweep finds the half
    // that the first one has left and the stranger, one more than it examines, so one endpoint is also in the line.
    expect(await countWakeups(busy)).toBeLessThanOrEqual(tenants * endpointsPerTenant + 1)
    published.add(strangerId!)
  }
  await database.pool.query('UPDATE webhook_endpoints SET rate_limit_per_second = NULL')
  await until(sweepOnce, () => taken.size === published.size)
  expect(taken).toEqual(published)
})
