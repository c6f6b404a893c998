import type { Budget } from '@hosting/core/rate-limit'
import { connectProducer, disconnect, type RedisTopology } from '../connections.ts'
import { responds } from '../watchdog.ts'
import { createGateCalls } from './calls.ts'
import { readKnownVersions, type KeyVersion } from './known-versions.ts'
import type { GateResult, GateRequest, GateAction } from './script.ts'

export type { KeyVersion } from './known-versions.ts'
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
