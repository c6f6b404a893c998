import type { Budget } from '@hosting/core'
import { connectProducer, disconnect, type RedisPlace } from '../connections.ts'
import { createGateCalls } from './calls.ts'
import type { GateAnswer, GateQuestion, Operation } from './script.ts'

export type { GateQuestion } from './script.ts'

/** The version of a key after a change. */
export interface KeyVersion {
  readonly keyId: string
  readonly version: number
}

/**
 * The gate: it knows which record of a key is valid, and counts its requests. One round trip answers for
 * all requests of the same turn of the event loop. Every call throws while Redis is away.
 */
export interface Gate {
  /** Asks whether a cached record is current; only then the request is counted. */
  check(question: GateQuestion): Promise<{ current: boolean; budget: Budget }>
  /** Tells the version of a record just read from the database, and counts the request. `keep`: it may be cached. */
  tell(question: GateQuestion): Promise<{ keep: boolean; budget: Budget }>
  /** Says that a change is about to commit: from now on no older record is current. */
  mark(versions: readonly KeyVersion[]): Promise<void>
  /** Says that a change was committed. */
  set(versions: readonly KeyVersion[]): Promise<void>
  isReady(): boolean
  /** How many calls to Redis were made, for measurements. */
  countRoundTrips(): number
  close(): void
}

/** What {@link openGate} is told. */
export interface GateOptions {
  /** Told of connection errors. */
  readonly onError: (error: Error) => void
  /** Told when the connection is lost: what was cached may have changed since without a word. */
  readonly onLost: () => void
  /** The gate must not hold a request up: past this, in ms, the caller asks the database. */
  readonly answerMsMax?: number
}

/** Opens the gate. It may be opened while Redis is away. */
export function openGate(
  place: RedisPlace,
  { onError, onLost, answerMsMax = 250 }: GateOptions,
): Gate {
  const connection = connectProducer(place, { commandTimeout: answerMsMax })
  connection.on('error', onError)
  connection.on('close', onLost)
  // Of a cluster's nodes each may be replaced by one that knows less.
  connection.on('-node', onLost)
  const { ask, count } = createGateCalls(connection, place.mode === 'cluster')

  const announce = async (operation: Operation, versions: readonly KeyVersion[]): Promise<void> => {
    await Promise.all(
      versions.map((version) => ask(operation, { ...version, limit: 1, charge: false })),
    )
  }

  return {
    async check(question) {
      const answer = await ask('check', question)
      return { current: answer.status === 0, budget: toBudget(question.limit, answer) }
    },
    async tell(question) {
      const answer = await ask('tell', question)
      return { keep: answer.status === 0, budget: toBudget(question.limit, answer) }
    },
    mark: (versions) => announce('mark', versions),
    set: (versions) => announce('set', versions),
    isReady: () => connection.status === 'ready',
    countRoundTrips: count,
    close() {
      disconnect(connection)
    },
  }
}

const toBudget = (limit: number, { admitted, remaining, resetMs }: GateAnswer): Budget => ({
  limit,
  admitted,
  remaining,
  resetMs,
})
