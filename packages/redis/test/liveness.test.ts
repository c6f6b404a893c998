import { neededRedis, openAttemptProducer, type RedisTopology } from '@hosting/redis'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts'
import { until } from '../../../test/support/until.ts'
import { redis } from './support/attempt-queues.ts'

let proxy: TcpProxy
let topology: RedisTopology
beforeAll(async () => {
  proxy = await startTcpProxy(() => redis.url)
  topology = { nodes: [proxy.url], mode: 'single', shards: 1 }
})
afterAll(() => proxy.close())

const isTrue = (value: boolean): boolean => value
const dead = { responds: async () => false }

test('Redis responds if it responds to any of the users, and accepts connections unless there is an outage', async () => {
  const producer = openAttemptProducer(topology, () => undefined)
  const needed = neededRedis(topology, [dead, producer])
  await until(needed.responds, isTrue)
  expect(await neededRedis(topology, [dead, dead]).responds()).toBe(false)
  expect(await needed.acceptsConnections()).toBe(true)

  proxy.silence()
  expect(await needed.responds()).toBe(false)
  expect(await needed.acceptsConnections()).toBe(true)

  proxy.silence({ connections: 'all' })
  expect(await needed.acceptsConnections()).toBe(false)
  proxy.sever()
  expect(await needed.acceptsConnections()).toBe(false)
  expect(await needed.responds()).toBe(false)

  proxy.restore()
  expect(await needed.acceptsConnections()).toBe(true)
  await until(needed.responds, isTrue)
  await producer.close()
})
