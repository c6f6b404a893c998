import { createKeyToken } from '@hosting/core/api-keys'
import { openGate, type Gate, type GateRequest } from '@hosting/redis'
import { afterAll, beforeAll } from '@jest/globals'
import { Redis } from 'ioredis'
import { makeOwnRedis, type OwnRedis } from '../../../../test/support/own-redis.ts'
import { until } from '../../../../test/support/stack.ts'

export let redis: OwnRedis

export let client: Redis

export let gate: Gate

export let losses = 0

/** By default with a timeout that is long enough for a busy machine. */
export const openOwnGate = (options: { timeoutMs?: number } = { timeoutMs: 15_000 }): Gate =>
  openGate(
    { nodes: [redis.url], mode: 'single', shards: 1 },
    { onError: () => undefined, onLost: () => (losses += 1), ...options },
  )

export const untilReady = (opened: Gate): Promise<boolean> =>
  until(
    () => Promise.resolve(opened.isReady()),
    (isReady) => isReady,
  )

beforeAll(async () => {
  redis = await makeOwnRedis()
  client = new Redis(redis.url).on('error', () => undefined)
  gate = openOwnGate()
  await untilReady(gate)
})

afterAll(async () => {
  gate.close()
  client.disconnect()
  await redis.remove()
})

export const newKeyId = (): string => createKeyToken().id

export const about = (keyId: string, version: number, members: Partial<GateRequest> = {}) => ({
  keyId,
  version,
  limit: 600,
  charge: false,
  ...members,
})

/** The name of the hash of a key. */
export async function hashOf(keyId: string): Promise<string> {
  const [name] = await client.keys(`*:${keyId}`)
  return name!
}
