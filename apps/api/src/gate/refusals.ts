import { createUuidv7, type ProblemCode } from '@hosting/core'
import { recordRefusals, type AuditActor, type Database } from '@hosting/postgres'
import type { Logger } from '@hosting/process'
import { LRUCache } from 'lru-cache'

/** A refusal of a known key. */
export interface Refusal {
  readonly tenantId: string
  readonly keyId: string
  readonly actor: AuditActor
  readonly reason: ProblemCode
  readonly ip: string
  /** The operation that was asked for. */
  readonly route: string
  readonly requestId: string
}

const windowMs = 60_000
const flushEveryMs = 2_000
const windowsMax = 10_000

/**
 * Writes refusals to the audit log. The first of a key, reason, address and route in a minute is written
 * before its answer; repeats are counted here, and added to the count of all processes every two seconds.
 */
export class Refusals {
  readonly #seen = new LRUCache<string, true>({ max: windowsMax, ttl: windowMs })
  #repeats = new Map<string, { refusal: Refusal; times: number }>()
  readonly #database: Database
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
    this.#timer = setInterval(() => void this.#flush(), flushEveryMs).unref()
  }

  /** Records a refusal. A failure to do so is logged and does not change the answer. */
  async record(refusal: Refusal): Promise<void> {
    const { keyId, reason, ip, route } = refusal
    const name = [keyId, reason, ip, route].join(' ')
    if (this.#seen.has(name)) {
      const times = (this.#repeats.get(name)?.times ?? 0) + 1
      this.#repeats.set(name, { refusal, times })
      return
    }
    this.#seen.set(name, true)
    await this.#write([{ refusal, times: 1 }])
  }

  /** Adds what is counted and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#repeats.size === 0) return
    const repeats = [...this.#repeats.values()]
    this.#repeats = new Map()
    await this.#write(repeats)
  }

  async #write(counted: readonly { refusal: Refusal; times: number }[]): Promise<void> {
    try {
      await recordRefusals(
        this.#database,
        counted.map(({ refusal, times }) => ({ ...refusal, id: createUuidv7(), times })),
      )
    } catch (error) {
      this.#log.error({ err: error }, 'refusals were not written to the audit log')
    }
  }
}
