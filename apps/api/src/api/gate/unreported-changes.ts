import type { Logger } from '@hosting/process'
import { restoreKeyChanges, type ChangedKey } from '@hosting/postgres/api-keys'
import type { Database } from '@hosting/postgres/database'
import type { Gate } from '@hosting/redis'
import { LRUCache } from 'lru-cache'
import { RegularFlush } from './usage-counter.ts'

/** The most changes that are kept. */
const changesMax = 10_000

/**
 * Key changes that this process has committed and could not report to Redis. PostgreSQL alone knows them, and a failover
 * may lose them there. So this process compares them with the database, and reports them, until Redis has them.
 */
export class UnreportedChanges {
  readonly #changes = new LRUCache<string, ChangedKey>({ max: changesMax })
  readonly #database: Database
  readonly #gate: Gate
  readonly #log: Logger
  readonly #flush: RegularFlush

  constructor(database: Database, gate: Gate, log: Logger) {
    this.#database = database
    this.#gate = gate
    this.#log = log
    this.#flush = new RegularFlush(() => this.#report().catch(() => undefined))
  }

  keep(changes: readonly ChangedKey[]): void {
    for (const change of changes) {
      const { version = 0 } = this.#changes.get(change.keyId) ?? {}
      if (change.version > version) this.#changes.set(change.keyId, change)
    }
  }

  close(): Promise<void> {
    return this.#flush.close()
  }

  async #report(): Promise<void> {
    const known = [...this.#changes.values()]
    if (known.length === 0) return
    const { keys, changed } = await restoreKeyChanges(this.#database, known)
    if (keys.length > 0)
      this.#log.warn({ keys }, 'the database has lost changes of keys, in a failover or a restore')
    this.keep(changed)
    const latest = [...this.#changes.values()]
    await this.#gate.set(latest)
    for (const change of latest) {
      if (this.#changes.get(change.keyId) === change) this.#changes.delete(change.keyId)
    }
  }
}

/** A gate that reports changes later if Redis is unavailable. Calls still throw. */
export const keepingUnreported = (gate: Gate, unreported: UnreportedChanges): Gate => ({
  ...gate,
  async set(versions) {
    try {
      await gate.set(versions)
    } catch (error) {
      unreported.keep(versions)
      throw error
    }
  },
})
