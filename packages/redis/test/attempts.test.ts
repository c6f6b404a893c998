import type { Lane } from '@hosting/core'
import {
  consumeAttempts,
  openAttemptProducer,
  openQueueReader,
  type AttemptConsumer,
  type AttemptJob,
  type AttemptProducer,
  type NewAttemptJob,
} from '@hosting/redis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { makeOwnRedis, type OwnRedis } from '../../../test/support/own-redis.ts'
import { until } from '../../../test/support/stack.ts'
import { startInfoProxy, type Proxy } from '../../../test/support/wire-tap.ts'

let redis: OwnRedis
let client: Redis
let producer: AttemptProducer
const consumers: AttemptConsumer[] = []

const place = (shards = 1) => ({ nodes: [redis.url], mode: 'single', shards }) as const
/** By default with a timeout that is long enough for a busy machine. */
const open = (
  shards?: number,
  options: { timeoutMs?: number } = { timeoutMs: 15_000 },
): AttemptProducer => openAttemptProducer(place(shards), () => undefined, options)

const untilReady = (opened: AttemptProducer): Promise<boolean> =>
  until(
    () => Promise.resolve(opened.isReady()),
    (isReady) => isReady,
  )

beforeAll(async () => {
  redis = await makeOwnRedis()
  client = new Redis(redis.url).on('error', () => undefined)
  producer = open()
  await untilReady(producer)
})
beforeEach(() => client.flushdb())
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.close()))
})
afterAll(async () => {
  await producer.close()
  client.disconnect()
  await redis.remove()
})

const newJob = (members: Partial<NewAttemptJob> = {}): NewAttemptJob => ({
  deliveryId: randomUUID(),
  endpointId: randomUUID(),
  number: 1,
  lane: 'normal',
  delayMs: 0,
  ...members,
})

const idsOf = ({ deliveryId, endpointId, number }: AttemptJob): AttemptJob => ({
  deliveryId,
  endpointId,
  number,
})

/** Takes the jobs of a lane, and returns those taken so far. */
function consume(
  lane: Lane,
  attempt: (job: AttemptJob) => Promise<void> = async () => {},
  shards?: number,
) {
  const taken: AttemptJob[] = []
  /** The shard of each taken job. */
  const from: number[] = []
  const errors: Error[] = []
  const consumer = consumeAttempts(
    place(shards),
    (job, shard) => {
      taken.push(job)
      from.push(shard)
      return attempt(job)
    },
    { lane, concurrency: 2, lockMs: 5_000, onError: (error) => errors.push(error) },
  )
  consumers.push(consumer)
  const takenReach = (count: number) =>
    until(
      () => Promise.resolve(taken),
      ({ length }) => length >= count,
    )
  return { consumer, taken, from, errors, takenReach }
}

const waiting = async () => (await producer.readState()).waiting

describe('a job', () => {
  test('is taken from the queue of its lane, and from no other', async () => {
    const normal = [newJob(), newJob({ number: 3 })]
    const slow = [newJob({ lane: 'slow' })]
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
    const job = newJob({ lane: 'slow', number: 2 })
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
    const job = newJob()
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
    const [later, soon] = [newJob({ delayMs: 60_000 }), newJob({ delayMs: 200 })]
    await producer.add([later, soon])
    expect(await waiting()).toEqual({ normal: 0, slow: 0 })
    const { taken, takenReach } = consume('normal')
    await takenReach(1)
    expect(taken).toEqual([idsOf(soon)])
  })

  test('that throws is reported, ends, and does not run again', async () => {
    const job = newJob()
    await producer.add([job])
    const { taken, errors, takenReach } = consume('normal', () => Promise.reject(new Error('no')))
    await producer.add([newJob()])
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
  for (let added = 0; added < 5; added++) await producer.add([newJob()])
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
  const jobs = Array.from({ length: 25 }, () => newJob())

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
    await producer.add([newJob({ delayMs: 60_000 }), newJob({ delayMs: 60_000 })])
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

describe('over four shards', () => {
  const shards = 4
  const jobs = Array.from({ length: 200 }, (_, index) =>
    newJob({ lane: index % 2 === 0 ? 'normal' : 'slow' }),
  )
  let spread: AttemptProducer

  beforeAll(async () => {
    spread = open(shards)
    await untilReady(spread)
  })
  afterAll(() => spread.close())

  test('jobs are spread, deduplicated by id, counted together, and taken from all shards', async () => {
    expect(await spread.add(jobs)).toBeUndefined()
    await spread.add(jobs)
    const state = await spread.readState()
    expect(state.waiting).toEqual({ normal: 100, slow: 100 })
    const lengthsOf = (name: string) =>
      Promise.all(
        Array.from({ length: shards }, (_, shard) =>
          client.llen(`hosting:{${name}-${shard}}:wait`),
        ),
      )
    const lengths = {
      normal: await lengthsOf('deliveries'),
      slow: await lengthsOf('deliveries-slow'),
    }
    const { waitingByShard } = state
    expect(waitingByShard.normal.map((attempts) => Math.ceil(attempts / 10))).toEqual(
      lengths.normal,
    )
    expect(waitingByShard.slow.map((attempts) => Math.ceil(attempts / 10))).toEqual(lengths.slow)
    expect(Math.min(...waitingByShard.normal, ...waitingByShard.slow)).toBeGreaterThan(5)
    const { taken, from, takenReach } = consume('normal', undefined, shards)
    await takenReach(100)
    const countOf = (shard: number) => from.filter((one) => one === shard).length
    expect(waitingByShard.normal.map((_, shard) => countOf(shard))).toEqual(waitingByShard.normal)
    const ids = (some: readonly AttemptJob[]) => some.map(({ deliveryId }) => deliveryId).toSorted()
    expect(ids(taken)).toEqual(ids(jobs.filter(({ lane }) => lane === 'normal')))
  })

  test('a failed shard does not affect the others, and its attempts are reported as not added', async () => {
    await client.set('hosting:{deliveries-2}:wait', 'no list')
    const notAdded = await spread.add(jobs)
    expect(notAdded?.reason.message).toContain('WRONGTYPE')
    const left = notAdded!.attempts.length
    expect(left).toBeGreaterThan(5)
    const state = await spread.readState()
    expect(state.waiting).toEqual({ normal: 100 - left, slow: 100 })
    expect(state.waitingByShard.normal[2]).toBe(0)
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

describe('while Redis is unavailable', () => {
  const refusal = 'Redis is not connected.'
  const refuseAll = async () => {
    const jobs = [newJob(), newJob()]
    expect(await producer.add(jobs)).toEqual({ attempts: jobs, reason: new Error(refusal) })
    await expect(producer.readState()).rejects.toThrow(refusal)
    await expect(producer.shareBacklogged(new Set())).rejects.toThrow(refusal)
    return 'at once'
  }

  test('a producer can be opened, fails at once, and works when Redis is available again', async () => {
    const { consumer } = consume('normal')
    await until(
      () => Promise.resolve(consumer.isLive()),
      (isLive) => isLive,
    )
    await redis.stop()
    await until(
      () => Promise.resolve(producer.isReady() || consumer.isLive()),
      (works) => !works,
    )
    // At once means before anything else in this process runs.
    expect(await Promise.race([refuseAll(), setImmediate('later')])).toBe('at once')
    const late = open()
    expect((await late.add([newJob()]))?.reason.message).toBe(refusal)
    await redis.start('kept')
    await Promise.all([untilReady(producer), untilReady(late)])
    await until(
      () => Promise.resolve(consumer.isLive()),
      (isLive) => isLive,
    )
    await late.add([newJob({ lane: 'slow' })])
    expect((await waiting()).slow).toBe(1)
    await late.close()
  })

  test('adding fails within about a second if Redis hangs', async () => {
    const impatient = open(1, {})
    await untilReady(impatient)
    await redis.hang()
    const jobs = [newJob(), newJob({ lane: 'slow' })]
    // Timers fire in order, however busy the machine is.
    const notAdded = await Promise.race([impatient.add(jobs), setTimeout(4_000)])
    redis.resume()
    // Redis still executes the commands that timed out.
    await until(waiting, ({ normal, slow }) => normal === 1 && slow === 1)
    await impatient.close()
    expect(notAdded?.attempts).toEqual(jobs)
    expect(notAdded?.reason.message).toContain('timed out')
  })
})

describe('if Redis responds badly when the queues are opened', () => {
  const through = ({ url }: Proxy) => ({ nodes: [url], mode: 'single', shards: 1 }) as const
  /** The connection sends the first INFO itself. The queues send the following ones. */
  const isOfQueues = (info: number): boolean => info > 1

  test('late, a producer opens them again, and works', async () => {
    let late = 0
    const proxy = await startInfoProxy(redis.url, async (info) => {
      if (isOfQueues(info) && late++ === 0) await setTimeout(1_500)
      return undefined
    })
    const slow = openAttemptProducer(through(proxy), () => undefined)
    await untilReady(slow)
    expect(late).toBeGreaterThan(1)
    expect(await slow.add([newJob()])).toBeUndefined()
    expect((await slow.readState()).waiting).toEqual({ normal: 1, slow: 0 })
    await slow.close()
    await proxy.close()
  })

  test('late, a queue reader opens them again, and reads', async () => {
    let late = 0
    const proxy = await startInfoProxy(redis.url, async (info) => {
      if (isOfQueues(info) && late++ === 0) await setTimeout(1_500)
      return undefined
    })
    const reader = openQueueReader(through(proxy), { onError: () => undefined })
    await until(
      () => Promise.resolve(reader.queues.length),
      (length) => length === 2,
    )
    expect(await reader.queues[0]!.getJobCounts('wait')).toEqual({ wait: 0 })
    await reader.close()
    await proxy.close()
  })

  test('with an error, a consumer retries, and takes jobs', async () => {
    let failed = 0
    const proxy = await startInfoProxy(redis.url, (info) =>
      Promise.resolve(isOfQueues(info) && failed++ === 0 ? '-ERR not now\r\n' : undefined),
    )
    const taken: AttemptJob[] = []
    const consumer = consumeAttempts(
      through(proxy),
      (job) => Promise.resolve(void taken.push(job)),
      { lane: 'normal', concurrency: 2, lockMs: 5_000, onError: () => undefined },
    )
    consumers.push(consumer)
    await producer.add([newJob()])
    await until(
      () => Promise.resolve(taken),
      ({ length }) => length === 1,
    )
    expect(failed).toBeGreaterThan(0)
    expect(consumer.isLive()).toBe(true)
    await consumers.pop()!.close()
    await proxy.close()
  })
})

test('a job far in the future does not block the job of the next hold', async () => {
  const job = newJob({ delayMs: 3_600_000 })
  await producer.add([job])
  await producer.add([{ ...job, delayMs: 0, hold: '1764000000000000' }])
  const { taken, takenReach } = consume('normal')
  await takenReach(1)
  expect(taken).toEqual([idsOf(job)])
})
