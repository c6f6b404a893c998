import { announceEvents, type Database } from '@hosting/postgres'
import type { Logger } from '@hosting/process'

/** Announces events in the order given, a statement at a time: what comes meanwhile goes with the next. */
export class Announcer {
  readonly #database: Database
  readonly #log: Logger
  #waiting = new Map<string, string[]>()
  #announcing = false

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Never throws: a live view of events is worth no more than a line in the log. */
  add(events: readonly { readonly id: string; readonly tenantId: string }[]): void {
    for (const { id, tenantId } of events) {
      const ids = this.#waiting.get(tenantId) ?? []
      ids.push(id)
      this.#waiting.set(tenantId, ids)
    }
    if (!this.#announcing) void this.#announce()
  }

  async #announce(): Promise<void> {
    this.#announcing = true
    while (this.#waiting.size > 0) {
      const waiting = this.#waiting
      this.#waiting = new Map()
      try {
        for (const [tenantId, ids] of waiting) await announceEvents(this.#database, tenantId, ids)
      } catch (error) {
        this.#log.warn({ err: error }, 'listeners were not told of events')
      }
    }
    this.#announcing = false
  }
}
