import { openAttemptProducer } from '@hosting/redis'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startRedisSentinels } from '../../../test/support/redis-sentinels.ts'
import { until } from '../../../test/support/until.ts'
import { root } from '../../../tools/run.ts'

let redis: Awaited<ReturnType<typeof startRedisSentinels>>
beforeAll(async () => {
  redis = await startRedisSentinels(`${root}.cache/sentinels-${process.env['JEST_WORKER_ID']}`)
})
afterAll(() => redis?.stop())

test('finds a new master that is reported during the lookup of the master', async () => {
  const { REDIS_URL, REDIS_SENTINEL_PASSWORD } = redis.environment as Record<string, string>
  const producer = openAttemptProducer(
    {
      nodes: REDIS_URL!.split(','),
      mode: 'sentinel',
      sentinelPassword: REDIS_SENTINEL_PASSWORD,
      shards: 1,
    },
    () => undefined,
  )
  const isReady = () => Promise.resolve(producer.isReady())
  await until(isReady, (ready) => ready)
  // The connection queries this Sentinel first, and the others report the new master.
  const queried = redis.sentinels[0]!
  const [master] = await redis.masters()
  queried.hang()
  await master!.kill()
  await redis.replaced(master!)
  queried.resume()
  expect(await until(isReady, (ready) => ready)).toBe(true)
  await producer.close()
})
