import type { AttemptIds } from '@hosting/core/webhooks'
import { type AttemptProducer } from '@hosting/redis'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildDue } from '../../../test/support/attempts.ts'
import { client, open, untilReady, consume } from './support/attempt-queues.ts'

describe('over four shards', () => {
  const shards = 4
  const jobs = Array.from({ length: 200 }, (_, index) =>
    buildDue({ lane: index % 2 === 0 ? 'normal' : 'slow' }),
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
    const ids = (some: readonly AttemptIds[]) => some.map(({ deliveryId }) => deliveryId).toSorted()
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
