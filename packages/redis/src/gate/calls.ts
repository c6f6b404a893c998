import type { RedisConnection } from '../connections.ts'
import {
  gateScript,
  packRequest,
  unpackResult,
  type GateResult,
  type GateRequest,
  type Operation,
} from './script.ts'

/** Calls of the script. Questions of the same turn of the event loop share a call. */
export interface GateCalls {
  ask(operation: Operation, question: GateRequest): Promise<GateResult>
  /** The number of calls so far. */
  count(): number
}

interface Asked {
  readonly keyId: string
  readonly packed: string
  readonly resolve: (result: GateResult) => void
  readonly reject: (error: unknown) => void
}

/** The number of shards of the keys, each in one slot of a Redis Cluster. */
const shards = 64
/** The maximum of keys per call, because a script blocks Redis while it runs. */
const batchMax = 200

type Run = (keyCount: number, ...keysAndArguments: string[]) => Promise<number[]>

/**
 * Collects questions and sends them in batches.
 *
 * @param isCluster - whether each shard needs a separate call.
 */
export function createGateCalls(connection: RedisConnection, isCluster: boolean): GateCalls {
  connection.defineCommand('gate', { lua: gateScript })
  const run: Run = (...args) => (connection as unknown as { gate: Run }).gate(...args)
  let asked: Asked[] = []
  let calls = 0

  function flush(): void {
    const all = asked
    asked = []
    const groups = isCluster ? [...Map.groupBy(all, ({ keyId }) => shardOf(keyId)).values()] : [all]
    for (const group of groups) {
      for (let from = 0; from < group.length; from += batchMax) {
        calls += 1
        void call(run, group.slice(from, from + batchMax))
      }
    }
  }

  return {
    ask(operation, question) {
      if (connection.status !== 'ready') return Promise.reject(new Error('Redis is not connected.'))
      return new Promise((resolve, reject) => {
        if (asked.length === 0) setImmediate(flush)
        const { keyId } = question
        asked.push({ keyId, packed: packRequest(operation, question), resolve, reject })
      })
    },
    count: () => calls,
  }
}

async function call(run: Run, batch: readonly Asked[]): Promise<void> {
  try {
    const results = await run(
      batch.length,
      ...batch.map(({ keyId }) => redisKeyOf(keyId)),
      ...batch.map(({ packed }) => packed),
    )
    for (const [index, { resolve }] of batch.entries()) resolve(unpackResult(results[index]!))
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

const redisKeyOf = (keyId: string): string => `{gate:${shardOf(keyId)}}:${keyId}`

/** Key ids are random, so two of their characters spread them evenly. */
const shardOf = (keyId: string): number => (keyId.charCodeAt(0) * 31 + keyId.charCodeAt(1)) % shards
