import { keyUseCombinationsMax, type KeyVerification } from '@hosting/core/api-keys'
import { currentTimeMs, hourMs } from '@hosting/core/clock'
import { addressGroup } from '@hosting/core/network'
import type { Scope } from '@hosting/core/scopes'
import { addKeyUses, type CountedKeyUse } from '@hosting/postgres/api-keys'
import type { Database } from '@hosting/postgres/database'
import type { Logger } from '@hosting/process'
import type { Key } from './key-gate.ts'

const flushEveryMs = 2_000

/** Writes what a process has counted every two seconds, one write at a time, and once more when it is closed. */
export class RegularFlush {
  readonly #write: () => Promise<void>
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> | undefined

  /** @param write - writes what was counted. It handles its errors. */
  constructor(write: () => Promise<void>) {
    this.#write = write
    this.#timer = setInterval(() => void this.#flush(), flushEveryMs).unref()
  }

  /** Waits for the running write, then writes what was counted since. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    await this.#flush()
  }

  #flush(): Promise<void> {
    return (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)))
  }
}

/** A request with a valid secret of a key. */
export interface PendingUse {
  readonly keyId: string
  /** Null if the last use of the secret is not recorded. */
  readonly secretId: string | null
  readonly isPrevious: boolean
  readonly ip: string
  /** The id of the route; null if none serves the request. */
  readonly operation: string | null
  readonly atMs: number
  /** The scope that the request needs; null until it is known that the key has it. */
  scope: Scope | null
}

/**
 * The use of a key by a request that arrived now. The tokens that a workload key is exchanged for have no predecessors,
 * and their last uses are not recorded.
 */
export function pendingUseOf(
  { id: keyId, source }: Key,
  { secretId, secretExpiresAt }: KeyVerification,
  { ip, operation }: Pick<PendingUse, 'ip' | 'operation'>,
): PendingUse {
  const hasSecret = source !== 'workload'
  return {
    keyId,
    secretId: hasSecret ? secretId : null,
    isPrevious: hasSecret && secretExpiresAt !== null,
    ip,
    operation,
    atMs: currentTimeMs(),
    scope: null,
  }
}

/** The most combinations that a process counts separately until they are written. */
const combinationsMax = 100_000

/**
 * Counts the uses of keys and adds them to the database every two seconds, so that no request waits for the
 * write. Counts that were not written are added at the next flush.
 */
export class UsageCounter {
  #counts = new Map<string, Count>()
  /** The number of combinations by key and hour. */
  #combinations = new Map<string, number>()
  readonly #database: Database
  readonly #log: Logger
  readonly #regularFlush = new RegularFlush(() => this.#flush())

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Counts a use in the hour in which the request arrived, with the status of its response. */
  count(use: PendingUse, status: number): void {
    const { keyId, secretId, isPrevious, ip, operation, atMs, scope } = use
    const hour = Math.floor(atMs / hourMs)
    const address = ip.includes(':') ? addressGroup(ip) : ip
    const request = { operation, status, address, scope }
    const combination: Combination = { keyId, hour, secretId, isPrevious, ...request }
    const count = this.#counts.get(nameOf(combination)) ?? this.#add(combination)
    count.requests += 1
    if (atMs < count.lastUsedMs) return
    count.lastUsedMs = atMs
    count.lastUsedIp = ip
  }

  /** Writes the pending counts and stops. */
  close(): Promise<void> {
    return this.#regularFlush.close()
  }

  /** Adds a combination without requests. Of the combinations over the limits, the operations and addresses are not counted. */
  #add(combination: Combination): Count {
    const ofHour = `${combination.keyId} ${combination.hour}`
    const number = this.#combinations.get(ofHour) ?? 0
    const isRest = number >= keyUseCombinationsMax || this.#counts.size >= combinationsMax
    const counted = isRest ? { ...combination, operation: null, address: null } : combination
    const name = nameOf(counted)
    const known = this.#counts.get(name)
    if (known) return known
    if (!isRest) this.#combinations.set(ofHour, number + 1)
    const count = { ...counted, requests: 0, lastUsedMs: 0, lastUsedIp: '' }
    this.#counts.set(name, count)
    return count
  }

  async #flush(): Promise<void> {
    const counts = [...this.#counts.values()]
    if (counts.length === 0) return
    this.#counts = new Map()
    this.#combinations = new Map()
    try {
      const locked = await addKeyUses(this.#database, counts.map(toCounted))
      for (const count of counts) {
        if (locked.has(count.keyId)) this.#keep({ ...count, requests: 0 })
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'the use of keys could not be recorded yet')
      for (const count of counts) this.#keep(count)
    }
  }

  /** Adds a count that was not written to what was counted meanwhile. */
  #keep({ requests, lastUsedMs, lastUsedIp, ...combination }: Count): void {
    const count = this.#add(combination)
    count.requests += requests
    if (lastUsedMs < count.lastUsedMs) return
    count.lastUsedMs = lastUsedMs
    count.lastUsedIp = lastUsedIp
  }
}

/** Requests of a key in an hour that agree in everything that is counted. */
interface Combination extends Pick<PendingUse, 'keyId' | 'secretId' | 'isPrevious' | 'scope'> {
  /** Hours since 1970-01-01. */
  readonly hour: number
  readonly operation: string | null
  readonly status: number
  /** The address group; null, as the operation, if only the number of requests is counted. */
  readonly address: string | null
}

const nameOf = ({ keyId, hour, operation, status, address, secretId, scope }: Combination) =>
  `${keyId} ${hour} ${operation} ${status} ${address} ${secretId} ${scope}`

interface Count extends Combination {
  requests: number
  lastUsedMs: number
  lastUsedIp: string
}

const toCounted = ({ hour, lastUsedMs, ...count }: Count): CountedKeyUse => ({
  ...count,
  start: new Date(hour * hourMs),
  lastUsedAt: new Date(lastUsedMs),
})
