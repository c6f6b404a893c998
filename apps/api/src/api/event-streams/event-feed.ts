import type { PublishedEvent } from '@hosting/postgres/webhooks'

/** An event for a stream. */
export interface StreamedEvent extends Omit<PublishedEvent, 'id'> {
  /** The delivery that is sent again. Absent: it is sent under a new id. */
  readonly deliveryId?: string | null
}

/** Why the server ends a stream. */
export interface Ending {
  readonly code: string
  readonly detail: string
}

const eventsMax = 10_000
const bytesMax = 4 * 2 ** 20

const tooSlow: Ending = {
  code: 'too_slow',
  detail: 'Events were published faster than you received them. Reconnect.',
}

/** The queue of events for one stream. The feed ends if it becomes too large. */
export class EventFeed {
  #events: StreamedEvent[] = []
  #bytes = 0
  #ending: Ending | undefined
  /** The number of running checks of whether the caller may continue. */
  #holds = 0
  #wake: () => void = () => undefined

  /** Why the feed ended; `undefined` if it is open. */
  get ending(): Ending | undefined {
    return this.#ending
  }

  push(events: readonly StreamedEvent[]): void {
    for (const event of events) {
      if (this.#ending) return
      this.#bytes += event.payload.length
      this.#events.push(event)
      // A single event is accepted regardless of its size.
      const isFull = this.#events.length > eventsMax || this.#bytes > bytesMax
      if (isFull && this.#events.length > 1) this.end(tooSlow)
    }
    this.#wake()
  }

  /** Ends the feed immediately and drops the remaining events. The first reason is kept. */
  end(ending: Ending): void {
    this.#ending ??= ending
    this.#events = []
    this.#bytes = 0
    this.#wake()
  }

  /** Withholds events until {@link release}. Each call needs its own release. */
  hold(): void {
    this.#holds += 1
  }

  /** Ends one {@link hold}. */
  release(): void {
    this.#holds -= 1
    this.#wake()
  }

  /** Removes and returns the next event; `undefined` if there is none or events are withheld. */
  take(): StreamedEvent | undefined {
    if (this.#holds > 0) return undefined
    const event = this.#events.shift()
    if (event) this.#bytes -= event.payload.length
    return event
  }

  /** Waits for an event, the end or a {@link stir}, at most `timeoutMs`. Returns `false` after a timeout. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (this.#ending || (this.#events.length > 0 && this.#holds === 0)) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), timeoutMs)
    this.#wake = () => resolve(true)
    const isWoken = await promise
    clearTimeout(timer)
    return isWoken
  }

  /** Ends the current {@link wait}. */
  stir(): void {
    this.#wake()
  }
}
