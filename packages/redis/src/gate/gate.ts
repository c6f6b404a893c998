import type { Budget } from '@hosting/core'
import { connectProducer, type RedisPlace } from '../connections.ts'
import { gateScript } from './script.ts'

/** A key's version as the caller knows it, and whether the request costs its budget one. */
export interface GateQuestion {
  readonly keyId: string
  readonly version: number
  readonly limit: number
  readonly charge: boolean
}

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
  readonly roundTrips: number
  close(): void
}

type Operation = 'check' | 'tell' | 'mark' | 'set'

interface Asked extends GateQuestion {
  readonly operation: Operation
  readonly resolve: (answer: readonly number[]) => void
  readonly reject: (error: unknown) => void
}

/** Keys are spread over so many shards, each a slot of a Redis Cluster. */
const shards = 64
/** Keys per call: a script blocks Redis while it runs. */
const batchMax = 200
/** The gate must not hold a request up: past this, in ms, the caller asks the database. */
const commandTimeoutMs = 250

type Run = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<number[]>

/**
 * Opens the gate. It may be opened while Redis is away.
 *
 * @param options - `onError`: told of connection errors; `onLost`: told when the connection is lost: what was
 *   cached may have changed since without a word.
 */
export function openGate(
  place: RedisPlace,
  { onError, onLost }: { onError: (error: Error) => void; onLost: () => void },
): Gate {
  const connection = connectProducer(place, { commandTimeout: commandTimeoutMs })
  connection.on('error', onError)
  connection.on('close', onLost)
  connection.defineCommand('gate', { lua: gateScript })
  const run: Run = (...args) => (connection as unknown as { gate: Run }).gate(...args)
  let roundTrips = 0
  let asked: Asked[] = []

  function flush(): void {
    const all = asked
    asked = []
    const groups =
      place.mode === 'cluster'
        ? Map.groupBy(all, ({ keyId }) => shardOf(keyId))
        : [[0, all] as const]
    for (const [, group] of groups) {
      for (let from = 0; from < group.length; from += batchMax) {
        void call(group.slice(from, from + batchMax))
      }
    }
  }

  async function call(batch: readonly Asked[]): Promise<void> {
    try {
      roundTrips += 1
      const answers = await run(
        batch.length,
        ...batch.map(({ keyId }) => redisKeyOf(keyId)),
        ...batch.flatMap(({ operation, version, limit, charge }) => [
          operation,
          version,
          limit,
          charge ? 1 : 0,
        ]),
      )
      for (const [index, { resolve }] of batch.entries()) {
        resolve(answers.slice(index * 4, index * 4 + 4))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function ask(operation: Operation, question: GateQuestion): Promise<readonly number[]> {
    if (connection.status !== 'ready') return Promise.reject(new Error('Redis is not connected.'))
    return new Promise((resolve, reject) => {
      if (asked.length === 0) setImmediate(flush)
      asked.push({ ...question, operation, resolve, reject })
    })
  }

  const announce = async (operation: Operation, versions: readonly KeyVersion[]): Promise<void> => {
    await Promise.all(
      versions.map((version) => ask(operation, { ...version, limit: 1, charge: false })),
    )
  }

  return {
    async check(question) {
      const answer = await ask('check', question)
      return { current: answer[0] === 0, budget: toBudget(question.limit, answer) }
    },
    async tell(question) {
      const answer = await ask('tell', question)
      return { keep: answer[0] === 0, budget: toBudget(question.limit, answer) }
    },
    mark: (versions) => announce('mark', versions),
    set: (versions) => announce('set', versions),
    isReady: () => connection.status === 'ready',
    get roundTrips() {
      return roundTrips
    },
    close: () => connection.disconnect(),
  }
}

const toBudget = (limit: number, [, admitted, remaining, resetMs]: readonly number[]): Budget => ({
  limit,
  admitted: admitted === 1,
  remaining: remaining!,
  resetMs: resetMs!,
})

const redisKeyOf = (keyId: string): string => `{gate:${shardOf(keyId)}}:${keyId}`

/** Key ids are random, so any two of their characters spread them: 32 × 2 values. */
const shardOf = (keyId: string): number => (keyId.charCodeAt(0) * 31 + keyId.charCodeAt(1)) % shards
