import { conflict, Problem } from '@hosting/core/problems'
import { eventStreamsMax, eventStreamsPerCallerMax } from '@hosting/core/webhooks'
import { type KeyChangeSubscription } from '@hosting/postgres/api-keys'
import { type Database } from '@hosting/postgres/database'
import {
  claimStreamSlot,
  findListenedTenants,
  freeStreamSlot,
  keepStreamSlot,
  parseAnnouncement,
  parseOwnMessage,
  parseReplays,
  readPublishedEvents,
  type StreamSlot,
  type Replay,
  type StreamOwner,
} from '@hosting/postgres/webhooks'
import type { Logger } from '@hosting/process'
import { randomUUID } from 'node:crypto'
import { Announcer, ListenedTenants } from './announcer.ts'
import { EventFeed, type Ending, type StreamedEvent } from './event-feed.ts'

/** A slot expires after this number of missed heartbeats, because its process was killed. */
const heartbeatsMissedMax = 3
/** How long a stream waits before it starts for processes that have not acknowledged it, in ms. */
const acknowledgedMsMax = 1_000
const readTenantsRetryMs = 1_000
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

/** An open stream of this process. */
export interface OpenStream {
  readonly feed: EventFeed
  /** Renews its slot. Call it at each heartbeat. The stream ends if the slot was lost. */
  keep(): Promise<void>
  close(): Promise<void>
}

/** The caller of a stream, and what to do when they may have lost access. */
export interface ListeningCaller {
  /** Identifies the key or the person. */
  readonly name: string
  /** The caller's key; `undefined` for a session. */
  readonly keyId: string | undefined
  /** The ids of the user, the person who impersonates the user, and the organization. */
  readonly ids: readonly string[]
  readonly recheck: () => void
}

interface LocalStream {
  readonly slot: StreamSlot
  readonly caller: ListeningCaller
  readonly feed: EventFeed
}

/**
 * The event streams of this process, and the organizations that have streams on any process. Only their events are
 * announced, by a NOTIFY with the events' ids after the commit, so that publishing for other organizations has no
 * extra cost. The processes with the streams read the events from PostgreSQL.
 */
export class EventStreamHub {
  readonly #database: Database
  readonly #log: Logger
  readonly #changes: Pick<KeyChangeSubscription, 'isListening' | 'waitForAcks'>
  readonly #livesMs: number
  readonly #streams = new Set<LocalStream>()
  readonly #tenants: ListenedTenants
  /** Ids of published events to be read, by organization. */
  readonly #unread = new Map<string, string[]>()
  readonly #announcer: Announcer
  /** Resolves when what was to be sent again has been read. */
  #replayed = Promise.resolve()
  /** Whether this process knows every organization with streams. */
  #informed = false
  /** How often notifications may have been missed. */
  #disconnections = 0
  #closing = false

  constructor({
    database,
    log,
    changes,
    heartbeatMs,
  }: {
    database: Database
    log: Logger
    changes: Pick<KeyChangeSubscription, 'isListening' | 'waitForAcks'>
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
   * Opens a stream. It receives every event that is published after the promise resolves.
   *
   * @throws Problem `conflict` if the organization or the caller has the maximum number of streams, or
   *   `service_unavailable`.
   */
  async open(tenantId: string, caller: ListeningCaller): Promise<OpenStream> {
    if (this.#closing || !this.#changes.isListening()) throw unavailable()
    const disconnections = this.#disconnections
    const slot = await claimStreamSlot(
      this.#database,
      { tenantId, id: randomUUID(), caller: caller.name },
      { slots: eventStreamsMax, slotsPerCaller: eventStreamsPerCallerMax, livesMs: this.#livesMs },
    )
    if (typeof slot === 'string') throw tooMany(slot)
    const stream: LocalStream = { slot, caller, feed: new EventFeed() }
    this.#streams.add(stream)
    // This process does not wait for its own notification.
    this.onListening(tenantId)
    if (this.#closing) stream.feed.end(restarting)
    if (this.#disconnections > disconnections) stream.feed.end(interrupted)
    if (!(await this.#changes.waitForAcks(acknowledgedMsMax))) {
      this.#log.debug('a process did not confirm a new stream')
    }
    return {
      feed: stream.feed,
      keep: async () => {
        if (!(await keepStreamSlot(this.#database, slot, this.#livesMs))) {
          stream.feed.end(interrupted)
        }
      },
      close: async () => {
        this.#streams.delete(stream)
        await freeStreamSlot(this.#database, slot).catch((error: unknown) =>
          this.#log.debug({ err: error }, 'the slot of a stream was not released and will expire'),
        )
      },
    }
  }

  /** Returns the number of open streams of this process. */
  count(): number {
    return this.#streams.size
  }

  /** Announces committed events if their organization has streams. Never throws. */
  announce(events: readonly { readonly id: string; readonly tenantId: string }[]): void {
    if (this.#informed && this.#tenants.isEmpty()) return
    // A process that does not know every organization with streams announces all events.
    this.#announcer.add(
      events.filter(({ tenantId }) => !this.#informed || this.#tenants.has(tenantId)),
    )
  }

  /** Called when an organization has a stream. */
  onListening(tenantId: string): void {
    this.#tenants.add(tenantId)
  }

  /** Called when events were published. */
  onPublished(payload: string): void {
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

  /** Called when a caller triggered an example event for their own streams. */
  onTriggered(payload: string): void {
    const { message, ...owner } = parseOwnMessage(payload)
    const own = this.#ownOf(owner)
    if (own.length === 0) return
    const event = JSON.parse(message) as StreamedEvent
    for (const { feed } of own) feed.push([event])
  }

  /** Called when a caller asked for events to be sent again to their own streams. Sends them in order. */
  onReplayed(payload: string): void {
    const { message, ...owner } = parseOwnMessage(payload)
    if (this.#ownOf(owner).length === 0) return
    const replays = parseReplays(message)
    this.#replayed = this.#replayed.then(() => this.#replay(owner, replays))
  }

  /** Called when keys changed. Authorizes their streams again. */
  onKeysChanged(ids: readonly string[]): void {
    for (const { caller } of this.#streams) {
      if (caller.keyId !== undefined && ids.includes(caller.keyId)) caller.recheck()
    }
  }

  /** Called when a session ended or permissions changed, with the id of the user or the organization. */
  onCallerChanged(id: string): void {
    for (const { caller } of this.#streams) if (caller.ids.includes(id)) caller.recheck()
  }

  /** Called when notifications may have been missed. Ends all streams. */
  onDisconnected(): void {
    this.#informed = false
    this.#disconnections += 1
    this.#end([...this.#streams], interrupted)
  }

  /** Reads which organizations have streams. Called when notifications arrive again. */
  async readListenedTenants(): Promise<void> {
    try {
      for (const tenantId of await findListenedTenants(this.#database)) this.#tenants.add(tenantId)
      this.#informed = this.#changes.isListening()
    } catch (error) {
      this.#log.warn({ err: error }, 'the organizations with open streams could not be read')
      if (!this.#closing)
        setTimeout(() => void this.readListenedTenants(), readTenantsRetryMs).unref()
    }
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.#closing = true
    this.#end([...this.#streams], restarting)
  }

  /** Waits, for a limited time, until the published events are announced. Call it when nothing is published any more. */
  async waitForAnnouncements(): Promise<void> {
    await this.#announcer.close()
  }

  /** Reads the waiting events in order and adds them to the feeds of their organization. */
  async #read(tenantId: string, unread: string[]): Promise<void> {
    try {
      while (unread.length > 0) {
        const ids = unread.splice(0, idsPerRead)
        const events = await readPublishedEvents(this.#database, tenantId, ids)
        for (const { feed } of this.#of(tenantId)) feed.push(events)
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'published events could not be read for their streams')
      this.#end(this.#of(tenantId), interrupted)
    } finally {
      this.#unread.delete(tenantId)
    }
  }

  async #replay(owner: StreamOwner, replays: readonly Replay[]): Promise<void> {
    try {
      const refs = new Set(replays.map(({ eventRef }) => eventRef))
      const read = await readPublishedEvents(this.#database, owner.tenantId, [...refs])
      const byRef = new Map(read.map((event) => [event.id, event]))
      // An event may have been removed as expired.
      const events = replays.flatMap(({ eventRef, deliveryId }) => {
        const event = byRef.get(eventRef)
        return event ? [{ ...event, deliveryId }] : []
      })
      for (const { feed } of this.#ownOf(owner)) feed.push(events)
    } catch (error) {
      this.#log.warn({ err: error }, 'events could not be read to be sent again to a stream')
      this.#end(this.#ownOf(owner), interrupted)
    }
  }

  #ownOf({ tenantId, caller }: StreamOwner): LocalStream[] {
    return this.#of(tenantId).filter((stream) => stream.caller.name === caller)
  }

  #of(tenantId: string): LocalStream[] {
    return [...this.#streams].filter(({ slot }) => slot.tenantId === tenantId)
  }

  #end(streams: readonly LocalStream[], ending: Ending): void {
    for (const { feed } of streams) feed.end(ending)
  }
}

const unavailable = (): Problem =>
  new Problem('service_unavailable', { headers: { 'Retry-After': '2' } })

const tooMany = (full: 'tenant_full' | 'caller_full'): Problem =>
  conflict(
    full === 'tenant_full'
      ? `the organization already has ${eventStreamsMax} open streams.`
      : `the caller already has ${eventStreamsPerCallerMax} open streams.`,
  )
