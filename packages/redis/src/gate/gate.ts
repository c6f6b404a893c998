import type { Budget } from '@hosting/core/rate-limit'
import {
  connectProducer,
  disconnect,
  type RedisTopology,
  type RedisConnection,
} from '../connections.ts'
import { responds } from '../watchdog.ts'
import {
  type GateResult,
  type GateRequest,
  type GateAction,
  gateScript,
  packRequest,
  unpackResult,
} from './script.ts'
import { Cluster, type Redis } from 'ioredis'
import { createBatcher } from '@hosting/core/concurrency'

export type { GateRequest } from './script.ts'

/**
 * The gate knows which version of a key's record is valid, and counts the requests of the key.
 * Calls of the same turn of the event loop share a round trip. Every call throws while Redis is
 * unavailable.
 */
export interface Gate {
  /** Checks whether a cached record is current. Counts the request only if it is. */
  check(request: GateRequest): Promise<{ current: boolean; budget: Budget }>
  /**
   * Reports the version of a record that was just read from the database, and counts the request.
   * `keep`: whether the record may be cached; `revoked`: whether the key was revoked in a later version, which the
   * database has lost or the read was too early for.
   */
  report(request: GateRequest): Promise<{ keep: boolean; revoked: boolean; budget: Budget }>
  /** Announces a change before its commit. From then on, no older record is current. */
  invalidate(versions: readonly KeyVersion[]): Promise<void>
  /** Reports a committed change. */
  set(versions: readonly KeyVersion[]): Promise<void>
  /** Gives the newest version of every key that was used or changed in the last hour, in pages. */
  knownVersions(): AsyncGenerator<readonly KeyVersion[]>
  /** The PostgreSQL server with whose keys the known versions were compared. */
  comparedServer(): Promise<string | null>
  markCompared(server: string): Promise<void>
  isReady(): boolean
  /** Whether Redis responds within two seconds. */
  responds(): Promise<boolean>
  /** The number of calls to Redis so far, for measurements. */
  countRoundTrips(): number
  close(): void
}

/** The options of {@link openGate}. */
export interface GateOptions {
  /** Called with connection errors. */
  readonly onError: (error: Error) => void
  /** Called when the connection is lost. Cached records may have changed since, without notice. */
  readonly onLost: () => void
  /**
   * The timeout of a call, in ms, because the gate must not delay a request. After it, the caller
   * queries the database.
   */
  readonly timeoutMs?: number
}

/** Opens the gate, even while Redis is unavailable. */
export function openGate(
  topology: RedisTopology,
  { onError, onLost, timeoutMs = 250 }: GateOptions,
): Gate {
  const connection = connectProducer(topology, { commandTimeout: timeoutMs })
  connection.on('error', onError)
  connection.on('close', onLost)
  // Any node of a cluster may be replaced by one with older data.
  connection.on('-node', onLost)
  const { call, count } = createGateCalls(connection, topology.mode === 'cluster')

  const announce = async (
    operation: GateAction,
    versions: readonly KeyVersion[],
  ): Promise<void> => {
    await Promise.all(
      versions.map(({ keyId, version, revoked = false }) =>
        call(operation, {
          keyId,
          version,
          limit: 1,
          charge: false,
          revoked: revoked && operation === 'set',
        }),
      ),
    )
  }

  return {
    async check(request) {
      const result = await call('check', request)
      return { current: result.status === 0, budget: toBudget(request.limit, result) }
    },
    async report(request) {
      const result = await call('report', request)
      const { status } = result
      return {
        keep: status === 0,
        revoked: status === 3,
        budget: toBudget(request.limit, result),
      }
    },
    invalidate: (versions) => announce('invalidate', versions),
    set: (versions) => announce('set', versions),
    knownVersions: () => readKnownVersions(connection),
    comparedServer: () => connection.get(comparedKey),
    markCompared: async (server) => void (await connection.set(comparedKey, server)),
    isReady: () => connection.status === 'ready',
    responds: () => responds(connection),
    countRoundTrips: count,
    close() {
      disconnect(connection)
    },
  }
}

const comparedKey = 'hosting:gate-compared-server'

const toBudget = (limit: number, { admitted, remaining, resetMs }: GateResult): Budget => ({
  limit,
  admitted,
  remaining,
  resetMs,
})

/** The version of a key's record. */
export interface KeyVersion {
  readonly keyId: string
  readonly version: number
  /** Whether the key is revoked in this version. */
  readonly revoked?: boolean
}

/** About how many keys a page has. */
const pageSize = 500

/** Reads what Redis knows of the versions of keys, from every master of a cluster. */
async function* readKnownVersions(
  connection: RedisConnection,
): AsyncGenerator<readonly KeyVersion[]> {
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [connection]
  for (const node of nodes) {
    let cursor = '0'
    do {
      const [next, names] = await node.scan(cursor, 'MATCH', redisKeyPattern, 'COUNT', pageSize)
      const known = await Promise.all(names.map((name) => readVersion(node, name)))
      yield known.filter((version) => version !== undefined)
      cursor = next
    } while (cursor !== '0')
  }
}

/** Returns `undefined` for a key that only has a change in progress, or only a budget. */
async function readVersion(node: Redis, name: string): Promise<KeyVersion | undefined> {
  const [known, revokedIn] = (await node.hmget(name, 'v', 'e')).map(Number)
  const version = Math.max(known!, revokedIn!)
  return version > 0 ? { keyId: keyIdOf(name), version, revoked: revokedIn! > 0 } : undefined
}

/** Calls of the script. Requests of the same turn of the event loop share a call. */
interface GateCalls {
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
function createGateCalls(connection: RedisConnection, isCluster: boolean): GateCalls {
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
const redisKeyPattern = '{gate:*}:*'

/** The id of the key with a {@link redisKeyOf}. */
const keyIdOf = (redisKey: string): string => redisKey.slice(redisKey.indexOf(':', 6) + 1)

/** Key ids are random, so two of their characters spread them evenly. */
const shardOf = (keyId: string): number => (keyId.charCodeAt(0) * 31 + keyId.charCodeAt(1)) % shards
