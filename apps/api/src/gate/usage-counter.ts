import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { addKeyUsage, type KeyUsage } from '@hosting/postgres/api-keys'
import { type Database } from '@hosting/postgres/database'
import type { Logger } from '@hosting/process'
import { RegularFlush } from './regular-flush.ts'

/**
 * Counts the uses of keys and adds them to the database every two seconds, so that no request waits for the
 * write. Counts that were not written are added at the next flush.
 */
export class UsageCounter {
  #counted = new Map<string, Counted>()
  /** Counts of past days, and counts that were not written. */
  #ended = new Map<string, Counted>()
  readonly #database: Database
  readonly #log: Logger
  readonly #regularFlush = new RegularFlush(() => this.#flush())

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Counts a request with a valid secret. */
  count(keyId: string, ip: string, nowMs = currentTimeMs()): void {
    this.#countedOf(keyId, ip, nowMs).requests += 1
  }

  /** Counts the response to a counted request, if it is a 403 or a 429. */
  countRefusal(keyId: string, { ip, status }: Refused, nowMs = currentTimeMs()): void {
    if (status === 403) this.#countedOf(keyId, ip, nowMs).refused += 1
    else if (status === 429) this.#countedOf(keyId, ip, nowMs).rateLimited += 1
  }

  #countedOf(keyId: string, ip: string, nowMs: number): Counted {
    const day = Math.floor(nowMs / dayMs)
    const known = this.#counted.get(keyId)
    if (known?.day === day) {
      known.lastUsedMs = nowMs
      known.lastUsedIp = ip
      return known
    }
    if (known) this.#keep(known)
    const counted = { keyId, day, ...nothing, lastUsedMs: nowMs, lastUsedIp: ip }
    this.#counted.set(keyId, counted)
    return counted
  }

  /** Writes the pending counts and stops. */
  close(): Promise<void> {
    return this.#regularFlush.close()
  }

  async #flush(): Promise<void> {
    const counted = [...this.#ended.values(), ...this.#counted.values()]
    if (counted.length === 0) return
    this.#ended = new Map()
    this.#counted = new Map()
    try {
      const locked = await addKeyUsage(this.#database, counted.map(toUsage))
      for (const entry of counted) {
        if (locked.has(entry.keyId)) this.#keep({ ...entry, ...nothing })
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'the use of keys could not be recorded yet')
      for (const entry of counted) this.#keep(entry)
    }
  }

  #keep(counted: Counted): void {
    const name = `${counted.day} ${counted.keyId}`
    const other = this.#ended.get(name)
    const latest = other && other.lastUsedMs > counted.lastUsedMs ? other : counted
    const { requests, refused, rateLimited } = other ?? nothing
    this.#ended.set(name, {
      ...latest,
      requests: counted.requests + requests,
      refused: counted.refused + refused,
      rateLimited: counted.rateLimited + rateLimited,
    })
  }
}

/** The response to a request. */
interface Refused {
  readonly ip: string
  readonly status: number
}

/** The uses of a key on a UTC day. Small, since every request updates one. */
interface Counted {
  readonly keyId: string
  /** Days since 1970-01-01. */
  readonly day: number
  requests: number
  refused: number
  rateLimited: number
  lastUsedMs: number
  lastUsedIp: string
}

const nothing = { requests: 0, refused: 0, rateLimited: 0 }

const toUsage = ({ day, lastUsedMs, lastUsedIp, ...counted }: Counted): KeyUsage => ({
  ...counted,
  date: new Date(day * dayMs).toISOString().slice(0, 10),
  lastUsedAt: new Date(lastUsedMs),
  lastUsedIp,
})
