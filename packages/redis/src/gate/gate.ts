import type { Budget } from '@hosting/core/rate-limit'
import { connectProducer, disconnect, type RedisTopology } from '../connections.ts'
import { responds } from '../watchdog.ts'
import { createGateCalls } from './calls.ts'
import type { GateResult, GateRequest, GateAction } from './script.ts'

export type { GateRequest } from './script.ts'

/** The version of a key after a change. */
export interface KeyVersion {
  readonly keyId: string
  readonly version: number
}

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
   * `keep`: whether the record may be cached.
   */
  report(request: GateRequest): Promise<{ keep: boolean; budget: Budget }>
  /** Announces a change before its commit. From then on, no older record is current. */
  invalidate(versions: readonly KeyVersion[]): Promise<void>
  /** Reports a committed change. */
  set(versions: readonly KeyVersion[]): Promise<void>
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
      versions.map((version) => call(operation, { ...version, limit: 1, charge: false })),
    )
  }

  return {
    async check(request) {
      const result = await call('check', request)
      return { current: result.status === 0, budget: toBudget(request.limit, result) }
    },
    async report(request) {
      const result = await call('report', request)
      return { keep: result.status === 0, budget: toBudget(request.limit, result) }
    },
    invalidate: (versions) => announce('invalidate', versions),
    set: (versions) => announce('set', versions),
    isReady: () => connection.status === 'ready',
    responds: () => responds(connection),
    countRoundTrips: count,
    close() {
      disconnect(connection)
    },
  }
}

const toBudget = (limit: number, { admitted, remaining, resetMs }: GateResult): Budget => ({
  limit,
  admitted,
  remaining,
  resetMs,
})
