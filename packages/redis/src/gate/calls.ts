import { createBatcher } from '@hosting/core/concurrency'
import type { RedisConnection } from '../connections.ts'
import {
  gateScript,
  packRequest,
  unpackResult,
  type GateResult,
  type GateRequest,
  type GateAction,
} from './script.ts'

/** Calls of the script. Requests of the same turn of the event loop share a call. */
export interface GateCalls {
  call(operation: GateAction, request: GateRequest): Promise<GateResult>
  /** The number of calls so far. */
  count(): number
}

interface PackedRequest {
  readonly keyId: string
  readonly packed: string
}

/** The number of shards of the keys, each in one slot of a Redis Cluster. */
const shards = 64
/** The maximum of keys per call, because a script blocks Redis while it runs. */
const batchMax = 200

type Run = (keyCount: number, ...keysAndArguments: string[]) => Promise<number[]>

/**
 * Collects requests and sends them in batches.
 *
 * @param isCluster - whether each shard needs a separate call.
 */
export function createGateCalls(connection: RedisConnection, isCluster: boolean): GateCalls {
  connection.defineCommand('gate', { lua: gateScript })
  const run: Run = (...args) => (connection as unknown as { gate: Run }).gate(...args)
  let calls = 0

  const call = async (batch: readonly PackedRequest[]): Promise<GateResult[]> => {
    calls += 1
    const results = await run(
      batch.length,
      ...batch.map(({ keyId }) => redisKeyOf(keyId)),
      ...batch.map(({ packed }) => packed),
    )
    return results.map(unpackResult)
  }
  const batchers = Array.from({ length: isCluster ? shards : 1 }, () =>
    createBatcher(call, { sizeMax: batchMax, callsMax: Infinity }),
  )

  return {
    call(operation, request) {
      if (connection.status !== 'ready') return Promise.reject(new Error('Redis is not connected.'))
      const { keyId } = request
      return batchers[isCluster ? shardOf(keyId) : 0]!({
        keyId,
        packed: packRequest(operation, request),
      })
    },
    count: () => calls,
  }
}

const redisKeyOf = (keyId: string): string => `{gate:${shardOf(keyId)}}:${keyId}`

/** Matches every {@link redisKeyOf}. */
export const redisKeyPattern = '{gate:*}:*'

/** The id of the key with a {@link redisKeyOf}. */
export const keyIdOf = (redisKey: string): string => redisKey.slice(redisKey.indexOf(':', 6) + 1)

/** Key ids are random, so two of their characters spread them evenly. */
const shardOf = (keyId: string): number => (keyId.charCodeAt(0) * 31 + keyId.charCodeAt(1)) % shards
