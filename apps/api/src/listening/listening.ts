import { Problem } from '@hosting/core'
import {
  claimListenerSlot,
  findListenedTenants,
  freeListenerSlot,
  keepListenerSlot,
  parseAnnouncement,
  readPublishedEvents,
  type Database,
  type KeyChangeListener,
  type ListenerSlot,
} from '@hosting/postgres'
import type { Logger } from '@hosting/process'
import { randomUUID } from 'node:crypto'
import { Announcer } from './announcer.ts'
import { EventFeed, type Ending } from './event-feed.ts'
import { ListenedTenants } from './listened-tenants.ts'

/** An organization has at most so many listeners at once, over all processes. */
export const listenersMax = 5
/** A key or a person has at most so many of them. */
export const listenersPerCallerMax = 2
/** A slot that missed so many heartbeats is free: its process was killed. */
const heartbeatsMissedMax = 3
/** How long a stream may wait to begin for a process that does not say that it knows of it, in ms. */
const knownMsMax = 1_000
const learnAgainMs = 1_000
const idsPerRead = 100
const idsWaitingMax = 10_000

const interrupted: Ending = {
  code: 'interrupted',
  detail: 'The database was unavailable, so events may have been missed. Reconnect.',
}
const restarting: Ending = {
  code: 'restarting',
  detail: 'This process of the service is restarting. Reconnect.',
}

/** A listener of this process. */
export interface Listener {
  readonly feed: EventFeed
  /** Keeps its slot, which must be done at each heartbeat. It ends if the slot was lost. */
  keep(): Promise<void>
  close(): Promise<void>
}

/** Who listens, and what to do when they may not be allowed to any more. */
export interface ListeningCaller {
  /** Names the key or the person. */
  readonly name: string
  /** The key that they came with. */
  readonly keyId: string | undefined
  /** The user, whoever acts as the user, and the organization. */
  readonly ids: readonly string[]
  readonly judge: () => void
}

interface LocalListener {
  readonly slot: ListenerSlot
  readonly caller: ListeningCaller
  readonly feed: EventFeed
}

/**
 * The listeners of this process, and what it knows of those of all others: which organizations have any. For
 * those alone publishing is announced, by the events' ids in a NOTIFY after the commit, so that nobody else's
 * publishing pays for it. The events are read from PostgreSQL where they are listened to.
 */
export class Listening {
  readonly #database: Database
  readonly #log: Logger
  readonly #changes: Pick<KeyChangeListener, 'isListening' | 'untilHeardByAll'>
  readonly #livesMs: number
  readonly #listeners = new Set<LocalListener>()
  readonly #tenants: ListenedTenants
  /** Ids that were published and are to be read, by organization. */
  readonly #unread = new Map<string, string[]>()
  readonly #announcer: Announcer
  /** Whether it knows of all listeners there are. */
  #informed = false
  #closing = false

  constructor({
    database,
    log,
    changes,
    heartbeatMs,
  }: {
    database: Database
    log: Logger
    changes: Pick<KeyChangeListener, 'isListening' | 'untilHeardByAll'>
    heartbeatMs: number
  }) {
    this.#database = database
    this.#log = log
    this.#changes = changes
    this.#announcer = new Announcer(database, log)
    this.#livesMs = heartbeatMs * heartbeatsMissedMax
    this.#tenants = new ListenedTenants(this.#livesMs)
  }

  /**
   * Begins to listen: from when it resolves on, no event is published without this listener.
   *
   * @throws Problem `conflict` if the organization or the caller has as many listeners as it may, or
   *   `service_unavailable`.
   */
  async open(tenantId: string, caller: ListeningCaller): Promise<Listener> {
    if (this.#closing || !this.#changes.isListening()) throw unavailable()
    const slot = await claimListenerSlot(
      this.#database,
      { tenantId, id: randomUUID(), caller: caller.name },
      { slots: listenersMax, slotsPerCaller: listenersPerCallerMax, livesMs: this.#livesMs },
    )
    if (typeof slot === 'string') throw tooMany(slot)
    const listener: LocalListener = { slot, caller, feed: new EventFeed() }
    this.#listeners.add(listener)
    // However late the notification comes to this process.
    this.heardListening(tenantId)
    if (this.#closing) listener.feed.end(restarting)
    if (!(await this.#changes.untilHeardByAll(knownMsMax))) {
      this.#log.debug('a process did not say that it knows of a listener')
    }
    return {
      feed: listener.feed,
      keep: async () => {
        if (!(await keepListenerSlot(this.#database, slot, this.#livesMs))) {
          listener.feed.end(interrupted)
        }
      },
      close: async () => {
        this.#listeners.delete(listener)
        await freeListenerSlot(this.#database, slot).catch((error: unknown) =>
          this.#log.debug({ err: error }, "a listener's slot is left to lapse"),
        )
      },
    }
  }

  /** How many listeners this process has. */
  count(): number {
    return this.#listeners.size
  }

  /** Announces events that were just committed, if anybody listens to their organization. Never throws. */
  announce(events: readonly { readonly id: string; readonly tenantId: string }[]): void {
    if (this.#informed && this.#tenants.isEmpty()) return
    // Whoever does not know who listens must take it that somebody does.
    this.#announcer.add(
      events.filter(({ tenantId }) => !this.#informed || this.#tenants.has(tenantId)),
    )
  }

  /** Hears that an organization has a listener. */
  heardListening(tenantId: string): void {
    this.#tenants.add(tenantId)
  }

  /** Hears of published events. */
  heardPublished(payload: string): void {
    const { tenantId, ids } = parseAnnouncement(payload)
    if (this.#of(tenantId).length === 0) return
    const unread = this.#unread.get(tenantId)
    if (ids === 'missed') this.#end(this.#of(tenantId), interrupted)
    else if (!unread) {
      this.#unread.set(tenantId, ids)
      void this.#read(tenantId, ids)
    } else if (unread.length < idsWaitingMax) unread.push(...ids)
    else this.#end(this.#of(tenantId), interrupted)
  }

  /** Hears that keys changed: whoever came with one is judged anew. */
  heardKeys(ids: readonly string[]): void {
    for (const { caller } of this.#listeners) {
      if (caller.keyId !== undefined && ids.includes(caller.keyId)) caller.judge()
    }
  }

  /** Hears that a session ended or permissions changed, by the id of the user or the organization. */
  heardCallerChange(id: string): void {
    for (const { caller } of this.#listeners) if (caller.ids.includes(id)) caller.judge()
  }

  /** Hears that something may not have been heard. */
  lost(): void {
    this.#informed = false
    this.#end([...this.#listeners], interrupted)
  }

  /** Learns who listens, now that nothing is missed any more. */
  async learn(): Promise<void> {
    try {
      for (const tenantId of await findListenedTenants(this.#database)) this.#tenants.add(tenantId)
      this.#informed = this.#changes.isListening()
    } catch (error) {
      this.#log.warn({ err: error }, 'who listens was not read')
      if (!this.#closing) setTimeout(() => void this.learn(), learnAgainMs).unref()
    }
  }

  /** Ends all streams, and takes no more. */
  close(): void {
    this.#closing = true
    this.#end([...this.#listeners], restarting)
  }

  /** Reads what waits to be read, in order, and hands it out. */
  async #read(tenantId: string, unread: string[]): Promise<void> {
    try {
      while (unread.length > 0) {
        const ids = unread.splice(0, idsPerRead)
        const events = await readPublishedEvents(this.#database, tenantId, ids)
        for (const { feed } of this.#of(tenantId)) feed.push(events)
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'published events were not read for their listeners')
      this.#end(this.#of(tenantId), interrupted)
    } finally {
      this.#unread.delete(tenantId)
    }
  }

  #of(tenantId: string): LocalListener[] {
    return [...this.#listeners].filter(({ slot }) => slot.tenantId === tenantId)
  }

  #end(listeners: readonly LocalListener[], ending: Ending): void {
    for (const { feed } of listeners) feed.end(ending)
  }
}

const unavailable = (): Problem =>
  new Problem('service_unavailable', { headers: { 'Retry-After': '2' } })

const tooMany = (full: 'tenant_full' | 'caller_full'): Problem => {
  const reason =
    full === 'tenant_full'
      ? `${listenersMax} already listen to the organization's events.`
      : `The caller already has ${listenersPerCallerMax} streams.`
  return new Problem('conflict', { facts: { reason } })
}
