import type { AttemptIds } from '@hosting/core/webhooks'
import { consumeAttempts, openAttemptProducer, openQueueReader } from '@hosting/redis'
import { describe, expect, test } from '@jest/globals'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { buildDue } from '../../../test/support/attempts.ts'
import { until } from '../../../test/support/stack.ts'
import type { TcpProxy } from '../../../test/support/tcp-proxy.ts'
import { startInfoProxy } from '../../../test/support/wire-tap.ts'
import {
  redis,
  producer,
  consumers,
  open,
  untilReady,
  consume,
  waiting,
} from './support/attempt-queues.ts'

describe('while Redis is unavailable', () => {
  const refusal = 'Redis is not connected.'
  const refuseAll = async () => {
    const jobs = [buildDue(), buildDue()]
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
    expect((await late.add([buildDue()]))?.reason.message).toBe(refusal)
    await redis.start('kept')
    await Promise.all([untilReady(producer), untilReady(late)])
    await until(
      () => Promise.resolve(consumer.isLive()),
      (isLive) => isLive,
    )
    await late.add([buildDue({ lane: 'slow' })])
    expect((await waiting()).slow).toBe(1)
    await late.close()
  })

  test('adding fails within about a second if Redis hangs', async () => {
    const impatient = open(1, {})
    await untilReady(impatient)
    await redis.hang()
    const jobs = [buildDue(), buildDue({ lane: 'slow' })]
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
  const through = ({ url }: TcpProxy) => ({ nodes: [url], mode: 'single', shards: 1 }) as const
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
    expect(await slow.add([buildDue()])).toBeUndefined()
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
    const taken: AttemptIds[] = []
    const consumer = consumeAttempts(
      through(proxy),
      (job) => Promise.resolve(void taken.push(job)),
      { lane: 'normal', concurrency: 2, onError: () => undefined },
    )
    consumers.push(consumer)
    await producer.add([buildDue()])
    await until(
      () => Promise.resolve(taken),
      ({ length }) => length === 1,
    )
    expect(failed).toBeGreaterThan(0)
    // The first worker may take the job before it fails and is replaced.
    await until(
      () => Promise.resolve(consumer.isLive()),
      (isLive) => isLive,
    )
    await consumers.pop()!.close()
    await proxy.close()
  })
})
