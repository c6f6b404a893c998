import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { buildDue } from '../../../test/support/attempts.ts'
import { until } from '../../../test/support/stack.ts'
import {
  client,
  producer,
  open,
  untilReady,
  idsOf,
  consume,
  waiting,
} from './support/attempt-queues.ts'

describe('a job', () => {
  test('is taken from the queue of its lane, and from no other', async () => {
    const normal = [buildDue(), buildDue({ number: 3 })]
    const slow = [buildDue({ lane: 'slow' })]
    await producer.add([...normal, ...slow])
    expect(await waiting()).toEqual({ normal: 2, slow: 1 })
    const ofSlow = consume('slow')
    await ofSlow.takenReach(1)
    await ofSlow.consumer.close()
    expect(ofSlow.taken).toEqual(slow.map(idsOf))
    expect(await waiting()).toEqual({ normal: 2, slow: 0 })
    const ofNormal = consume('normal')
    await ofNormal.takenReach(2)
    expect(ofNormal.taken).toEqual(normal.map(idsOf))
  })

  test('contains only ids, and leaves nothing when it ends', async () => {
    const job = buildDue({ lane: 'slow', number: 2 })
    await producer.add([job])
    const stored = await client.hgetall(`hosting:{deliveries-slow-0}:${job.deliveryId}-2`)
    expect(JSON.parse(stored['data']!)).toEqual(idsOf(job))
    expect(stored).toMatchObject({ name: 'attempt' })
    const { takenReach } = consume('slow')
    await takenReach(1)
    await until(
      () => client.keys(`*${job.deliveryId}*`),
      ({ length }) => length === 0,
    )
  })

  test('that is added twice exists once, and may be added again after it ended', async () => {
    const job = buildDue()
    await Promise.all(Array.from({ length: 5 }, () => producer.add([job, job])))
    expect(await waiting()).toEqual({ normal: 1, slow: 0 })
    const { taken, takenReach } = consume('normal')
    await takenReach(1)
    await until(
      () => client.keys(`*${job.deliveryId}*`),
      ({ length }) => length === 0,
    )
    await producer.add([job])
    await takenReach(2)
    expect(taken).toEqual([idsOf(job), idsOf(job)])
  })

  test('with a delay does not count as waiting, and is taken after the delay', async () => {
    const [later, soon] = [buildDue({ delayMs: 60_000 }), buildDue({ delayMs: 200 })]
    await producer.add([later, soon])
    expect(await waiting()).toEqual({ normal: 0, slow: 0 })
    const { taken, takenReach } = consume('normal')
    await takenReach(1)
    expect(taken).toEqual([idsOf(soon)])
  })

  test('that throws is reported, ends, and does not run again', async () => {
    const job = buildDue()
    await producer.add([job])
    const { taken, errors, takenReach } = consume('normal', () => Promise.reject(new Error('no')))
    await producer.add([buildDue()])
    await takenReach(2)
    await until(
      () => client.keys('hosting:{deliveries-0}:*-1'),
      ({ length }) => length === 0,
    )
    // Redis records the end before the consumer does.
    await until(
      () => Promise.resolve(errors),
      ({ length }) => length >= 2,
    )
    expect(errors.map(({ message }) => message)).toEqual(['no', 'no'])
    expect(taken).toHaveLength(2)
  })
})

test('a consumer limits its attempts in progress, and its close waits for them and takes no more', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  for (let added = 0; added < 5; added++) await producer.add([buildDue()])
  const { consumer, taken, takenReach } = consume('normal', () => ended)
  await takenReach(2)
  expect(consumer.isLive()).toBe(true)
  const closing = consumer.close()
  expect(consumer.isLive()).toBe(false)
  end()
  await closing
  expect(taken).toHaveLength(2)
  expect(await waiting()).toEqual({ normal: 3, slow: 0 })
})

describe('attempts that are added together', () => {
  const jobs = Array.from({ length: 25 }, () => buildDue())

  test('share jobs in order, and are counted individually', async () => {
    await producer.add(jobs)
    await producer.add(jobs)
    expect(await client.llen('hosting:{deliveries-0}:wait')).toBe(3)
    expect(await waiting()).toEqual({ normal: 25, slow: 0 })
    const { taken, takenReach } = consume('normal')
    await takenReach(25)
    expect(taken).toEqual(jobs.map(idsOf))
  })

  test('have the same limit of attempts in progress', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    await producer.add(jobs)
    const { consumer, taken, takenReach } = consume('normal', () => ended)
    await takenReach(2)
    await until(waiting, ({ normal }) => normal === 15)
    expect(taken).toHaveLength(2)
    end()
    await consumer.close()
    expect(taken.length % 10).toBe(0)
  })

  test('have separate jobs if they are not due yet', async () => {
    await producer.add([buildDue({ delayMs: 60_000 }), buildDue({ delayMs: 60_000 })])
    expect(await client.zcard('hosting:{deliveries-0}:delayed')).toBe(2)
  })

  test('fail individually', async () => {
    await producer.add(jobs.slice(0, 3))
    const { errors, takenReach } = consume('normal', ({ deliveryId }) =>
      deliveryId === jobs[1]!.deliveryId ? Promise.reject(new Error('no')) : Promise.resolve(),
    )
    await takenReach(3)
    expect(errors.map(({ message }) => message)).toEqual(['no'])
  })
})

describe('the endpoints with a backlog', () => {
  const backlogged = async () => (await producer.readState()).backlogged

  test('are known to every producer for two seconds', async () => {
    expect(await backlogged()).toEqual(new Set())
    const ids = new Set([randomUUID(), randomUUID()])
    const other = open()
    await untilReady(other)
    await other.shareBacklogged(ids)
    await other.close()
    expect(await backlogged()).toEqual(ids)
    const [key] = await client.keys('*backlogged*')
    const lapsesInMs = await client.pttl(key!)
    expect(lapsesInMs).toBeGreaterThan(0)
    expect(lapsesInMs).toBeLessThanOrEqual(2_000)
    await client.pexpire(key!, 1)
    await until(backlogged, (named) => named?.size === 0)
  })

  test('are those of the latest report, even if it is empty', async () => {
    await producer.shareBacklogged(new Set([randomUUID()]))
    await producer.shareBacklogged(new Set())
    expect(await backlogged()).toEqual(new Set())
  })

  test('are not listed if there are more than a thousand', async () => {
    const ids = Array.from({ length: 1_001 }, () => randomUUID())
    await producer.shareBacklogged(new Set(ids.slice(1)))
    expect((await backlogged())?.size).toBe(1_000)
    await producer.shareBacklogged(new Set(ids))
    expect(await backlogged()).toBeUndefined()
  })
})

test('a job far in the future does not block the job of the next hold', async () => {
  const job = buildDue({ delayMs: 3_600_000 })
  await producer.add([job])
  await producer.add([{ ...job, delayMs: 0, hold: '1764000000000000' }])
  const { taken, takenReach } = consume('normal')
  await takenReach(1)
  expect(taken).toEqual([idsOf(job)])
})
