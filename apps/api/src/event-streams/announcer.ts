import { type Database } from '@hosting/postgres/database'
import { announceEvents, type EventAnnouncement } from '@hosting/postgres/webhooks'
import type { Logger } from '@hosting/process'

/** The maximum number of event ids that wait to be announced. Beyond it, streams end because they missed events. */
export const idsWaitingMax = 10_000

/** Announces events in order, one statement at a time. Events that arrive while it runs share the next one. */
export class Announcer {
  readonly #database: Database
  readonly #log: Logger
  #waiting = new Map<string, string[] | 'missed'>()
  #idsWaiting = 0
  #announcing = false

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Adds events to announce. Never throws: a failed announcement is logged, and publishing continues. */
  add(events: readonly { readonly id: string; readonly tenantId: string }[]): void {
    for (const { id, tenantId } of events) this.#enqueue(tenantId, id)
    if (!this.#announcing) void this.#announce()
  }

  #enqueue(tenantId: string, id: string): void {
    const ids = this.#waiting.get(tenantId) ?? []
    if (ids === 'missed') return
    if (this.#idsWaiting >= idsWaitingMax) {
      this.#idsWaiting -= ids.length
      this.#waiting.set(tenantId, 'missed')
      return
    }
    this.#idsWaiting += 1
    ids.push(id)
    this.#waiting.set(tenantId, ids)
  }

  #takeAll(): EventAnnouncement[] {
    const taken = [...this.#waiting].map(([tenantId, ids]) => ({ tenantId, ids }))
    this.#waiting = new Map()
    this.#idsWaiting = 0
    return taken
  }

  async #announce(): Promise<void> {
    this.#announcing = true
    while (this.#waiting.size > 0) {
      try {
        await announceEvents(this.#database, this.#takeAll())
      } catch (error) {
        this.#log.warn({ err: error }, 'streams could not be notified of events')
      }
    }
    this.#announcing = false
  }
}
