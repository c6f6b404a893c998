import { addKeyUsage, type Database, type KeyUsage } from '@hosting/postgres'
import type { Logger } from '@hosting/process'

const flushEveryMs = 2_000

/**
 * Counts the uses of keys, and adds them to the database every two seconds: no request waits for it. What
 * could not be added is kept for the next time.
 */
export class UsageCounter {
  #counted = new Map<string, KeyUsage>()
  readonly #database: Database
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
    this.#timer = setInterval(() => void this.#flush(), flushEveryMs).unref()
  }

  /** Counts a request whose secret was proven. */
  count(keyId: string, ip: string, now = new Date()): void {
    const date = now.toISOString().slice(0, 10)
    this.#add({ keyId, date, requests: 1, lastUsedAt: now, lastUsedIp: ip })
  }

  /** Adds what is counted and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#counted.size === 0) return
    const usage = [...this.#counted.values()]
    this.#counted = new Map()
    try {
      await addKeyUsage(this.#database, usage)
    } catch (error) {
      this.#log.warn({ err: error }, 'the use of keys was not added yet')
      for (const entry of usage) this.#add(entry)
    }
  }

  #add(usage: KeyUsage): void {
    const name = `${usage.keyId} ${usage.date}`
    const before = this.#counted.get(name)
    const latest = before && before.lastUsedAt > usage.lastUsedAt ? before : usage
    this.#counted.set(name, { ...latest, requests: (before?.requests ?? 0) + usage.requests })
  }
}
