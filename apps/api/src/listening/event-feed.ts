import type { PublishedEvent } from '@hosting/postgres'

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

/** The events that one listener has not taken yet: no more than so many, else the feed ends. */
export class EventFeed {
  #events: PublishedEvent[] = []
  #bytes = 0
  #ending: Ending | undefined
  /** How many still have to say whether the caller may go on. */
  #holds = 0
  #wake: () => void = () => undefined

  /** Why it ended, once it has. */
  get ending(): Ending | undefined {
    return this.#ending
  }

  push(events: readonly PublishedEvent[]): void {
    for (const event of events) {
      if (this.#ending) return
      this.#bytes += event.payload.length
      this.#events.push(event)
      // One event alone is taken however large it is.
      const isFull = this.#events.length > eventsMax || this.#bytes > bytesMax
      if (isFull && this.#events.length > 1) this.end(tooSlow)
    }
    this.#wake()
  }

  /** Ends it at once: what was not taken is dropped. The first word counts. */
  end(ending: Ending): void {
    this.#ending ??= ending
    this.#events = []
    this.#bytes = 0
    this.#wake()
  }

  /** Gives out no event until {@link release}. Whoever holds it several times releases it as often. */
  hold(): void {
    this.#holds += 1
  }

  /** Gives out events again. */
  release(): void {
    this.#holds -= 1
    this.#wake()
  }

  /** The next event, if there is one. */
  take(): PublishedEvent | undefined {
    if (this.#holds > 0) return undefined
    const event = this.#events.shift()
    if (event) this.#bytes -= event.payload.length
    return event
  }

  /** Waits for an event, the end or a {@link stir}, for `timeoutMs` at most. Gives whether it came to anything. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (this.#ending || (this.#events.length > 0 && this.#holds === 0)) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), timeoutMs)
    this.#wake = () => resolve(true)
    const isWoken = await promise
    clearTimeout(timer)
    return isWoken
  }

  /** Ends a wait. */
  stir(): void {
    this.#wake()
  }
}
