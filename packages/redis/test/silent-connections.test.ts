import {
  consumeAttempts,
  openAttemptProducer,
  openGate,
  openQueueReader,
  type RedisTopology,
} from '@hosting/redis'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { buildDue } from '../../../test/support/attempts.ts'
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

const onError = () => undefined
const isTrue = (value: boolean): boolean => value

test('connections that fall silent are replaced while new ones work, and jobs are added and taken again', async () => {
  const taken = new Set<string>()
  const producer = openAttemptProducer(topology, onError)
  const gate = openGate(topology, { onError, onLost: onError })
  const reader = openQueueReader(topology, { onError })
  const consumer = consumeAttempts(topology, async ({ deliveryId }) => void taken.add(deliveryId), {
    lane: 'normal',
    concurrency: 2,
    onError,
  })
  const question = { keyId: 'key000000001', version: 1, limit: 10, charge: false }
  const deliver = async (): Promise<boolean> => {
    const job = buildDue()
    if (await producer.add([job])) return false
    await until(async () => taken.has(job.deliveryId), isTrue)
    return true
  }
  const readQueues = async (): Promise<boolean> =>
    reader.queues.length > 0 &&
    (await reader.queues[0]!.getJobCounts('wait').then(
      () => true,
      () => false,
    ))
  const askGate = async (): Promise<boolean> =>
    await gate.check(question).then(
      () => true,
      () => false,
    )
  const responses = async () => [await producer.responds(), await consumer.responds()]

  await until(deliver, isTrue)
  await until(readQueues, isTrue)
  await until(askGate, isTrue)
  expect(await responses()).toEqual([true, true])

  proxy.silence()
  expect(await responses()).toEqual([false, false])
  await until(deliver, isTrue)
  await until(readQueues, isTrue)
  await until(askGate, isTrue)
  expect(await responses()).toEqual([true, true])

  await Promise.all([producer.close(), reader.close(), consumer.close()])
  gate.close()
})
