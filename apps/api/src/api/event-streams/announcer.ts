import { type Database } from '@hosting/postgres/database'
import { announceEvents, type EventAnnouncement } from '@hosting/postgres/webhooks'
import type { Logger } from '@hosting/process'
import { setTimeout as delay } from 'node:timers/promises'

/** The maximum number of event ids that wait to be announced. Beyond it, streams end because they missed events. */
export const idsWaitingMax = 10_000

const retryMs = 500
/** How long closing waits for announcements, in ms. */
const closeMsMax = 2_000

/** Announces events in order, one statement at a time. Events that arrive while it runs share the next one. */
export class Announcer {
  readonly #database: Database
  readonly #log: Pick<Logger, 'warn'>
  #waiting = new Map<string, string[] | 'missed'>()
  #idsWaiting = 0
  #announcing = false
  #announced = Promise.resolve()
  #closed = false

  constructor(database: Database, log: Pick<Logger, 'warn'>) {
    this.#database = database
    this.#log = log
  }

  /**
   * Adds events to announce. Never throws: a failed announcement is logged, publishing continues, and the events are
   * announced as missed once the database works again, so that their streams end.
   */
  add(events: readonly { readonly id: string; readonly tenantId: string }[]): void {
    for (const { id, tenantId } of events) this.#enqueue(tenantId, id)
    if (!this.#announcing) this.#announced = this.#announce()
  }

  /** Waits, for a limited time, until everything is announced. Call it when no more events arrive. */
  async close(): Promise<void> {
    await Promise.race([this.#announced, delay(closeMsMax, undefined, { ref: false })])
    this.#closed = true
  }

  #enqueue(tenantId: string, id: string): void {
    const ids = this.#waiting.get(tenantId) ?? []
    if (ids === 'missed') return
    if (this.#idsWaiting >= idsWaitingMax) return this.#miss(tenantId)
    this.#idsWaiting += 1
    ids.push(id)
    this.#waiting.set(tenantId, ids)
  }

  #miss(tenantId: string): void {
    const ids = this.#waiting.get(tenantId) ?? []
    if (ids !== 'missed') this.#idsWaiting -= ids.length
    this.#waiting.set(tenantId, 'missed')
  }

  #takeAll(): EventAnnouncement[] {
    const taken = [...this.#waiting].map(([tenantId, ids]) => ({ tenantId, ids }))
    this.#waiting = new Map()
    this.#idsWaiting = 0
    return taken
  }

  async #announce(): Promise<void> {
    this.#announcing = true
    while (this.#waiting.size > 0 && !this.#closed) {
      const taken = this.#takeAll()
      try {
        await announceEvents(this.#database, taken)
      } catch (error) {
        this.#log.warn({ err: error }, 'streams could not be notified of events')
        for (const { tenantId } of taken) this.#miss(tenantId)
        await delay(retryMs, undefined, { ref: false })
      }
    }
    this.#announcing = false
  }
}

/** The organizations with open streams on any process. An entry expires unless it is added again. */
export class ListenedTenants {
  readonly #until = new Map<string, number>()
  readonly #lifetimeMs: number

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs
  }

  add(tenantId: string): void {
    this.#until.set(tenantId, performance.now() + this.#lifetimeMs)
  }

  has(tenantId: string): boolean {
    const until = this.#until.get(tenantId)
    if (until === undefined) return false
    if (until > performance.now()) return true
    this.#until.delete(tenantId)
    return false
  }

  isEmpty(): boolean {
    return this.#until.size === 0
  }
}
