import type { AttemptIds, Lane, TakenAttempt } from '@hosting/core/webhooks'
import {
  consumeAttempts,
  openAttemptProducer,
  type AttemptConsumer,
  type AttemptProducer,
} from '@hosting/redis'
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import { Redis } from 'ioredis'
import { makeOwnRedis, type OwnRedis } from '../../../../test/support/own-redis.ts'
import { until } from '../../../../test/support/stack.ts'

export let redis: OwnRedis

export let client: Redis

export let producer: AttemptProducer

export const consumers: AttemptConsumer[] = []

export const topology = (shards = 1) => ({ nodes: [redis.url], mode: 'single', shards }) as const

/** By default with a timeout that is long enough for a busy machine. */
export const open = (
  shards?: number,
  options: { timeoutMs?: number } = { timeoutMs: 15_000 },
): AttemptProducer => openAttemptProducer(topology(shards), () => undefined, options)

export const untilReady = (opened: AttemptProducer): Promise<boolean> =>
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

/** What a job contains of an attempt. */
export const idsOf = ({ deliveryId, endpointId, tenantId, number }: AttemptIds): AttemptIds => ({
  deliveryId,
  endpointId,
  tenantId,
  number,
})

/** Takes the jobs of a lane, and returns those taken so far. */
export function consume(
  lane: Lane,
  attempt: (taken: TakenAttempt) => Promise<void> = async () => {},
  shards?: number,
) {
  const taken: AttemptIds[] = []
  /** The shard of each taken job. */
  const from: number[] = []
  const errors: Error[] = []
  const consumer = consumeAttempts(
    topology(shards),
    (each, shard) => {
      taken.push(idsOf(each))
      from.push(shard)
      return attempt(each)
    },
    { lane, concurrency: 2, onError: (error) => errors.push(error) },
  )
  consumers.push(consumer)
  const takenReach = (count: number) =>
    until(
      () => Promise.resolve(taken),
      ({ length }) => length >= count,
    )
  return { consumer, taken, from, errors, takenReach }
}

export const waiting = async () => (await producer.readState()).waiting
