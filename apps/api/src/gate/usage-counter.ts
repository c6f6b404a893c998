import { currentTimeMs } from '@hosting/core'
import { addKeyUsage, type Database, type KeyUsage } from '@hosting/postgres'
import type { Logger } from '@hosting/process'

const flushEveryMs = 2_000

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
  readonly #timer: NodeJS.Timeout

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
    this.#timer = setInterval(() => void this.#flush(), flushEveryMs).unref()
  }

  /** Counts a request with a valid secret. */
  count(keyId: string, ip: string, nowMs = currentTimeMs()): void {
    const day = Math.floor(nowMs / dayMs)
    const counted = this.#counted.get(keyId)
    if (counted?.day === day) {
      counted.requests += 1
      counted.lastUsedMs = nowMs
      counted.lastUsedIp = ip
    } else {
      if (counted) this.#keep(counted)
      this.#counted.set(keyId, { keyId, day, requests: 1, lastUsedMs: nowMs, lastUsedIp: ip })
    }
  }

  /** Writes the pending counts and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const counted = [...this.#ended.values(), ...this.#counted.values()]
    if (counted.length === 0) return
    this.#ended = new Map()
    this.#counted = new Map()
    try {
      const locked = await addKeyUsage(this.#database, counted.map(toUsage))
      for (const entry of counted) {
        if (locked.has(entry.keyId)) this.#keep({ ...entry, requests: 0 })
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'the use of keys was not added yet')
      for (const entry of counted) this.#keep(entry)
    }
  }

  #keep(counted: Counted): void {
    const name = `${counted.day} ${counted.keyId}`
    const other = this.#ended.get(name)
    const latest = other && other.lastUsedMs > counted.lastUsedMs ? other : counted
    const requests = counted.requests + (other?.requests ?? 0)
    this.#ended.set(name, { ...latest, requests })
  }
}

/** The uses of a key on a UTC day. Small, since every request updates one. */
interface Counted {
  readonly keyId: string
  /** Days since 1970-01-01. */
  readonly day: number
  requests: number
  lastUsedMs: number
  lastUsedIp: string
}

const dayMs = 86_400_000

const toUsage = ({ keyId, day, requests, lastUsedMs, lastUsedIp }: Counted): KeyUsage => ({
  keyId,
  date: new Date(day * dayMs).toISOString().slice(0, 10),
  requests,
  lastUsedAt: new Date(lastUsedMs),
  lastUsedIp,
})
