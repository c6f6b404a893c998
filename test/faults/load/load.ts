import { randomInt, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { callerOf, type CallerResponse } from '../../support/caller.ts'
import { siteData } from '../../support/events.ts'
import type { ServiceProcess } from '../../support/processes.ts'
import { endpointsOf, publishedTypes, type PublishedEvent } from './endpoint.ts'
import type { System } from './system.ts'

/** Running publishers. */
export interface Load {
  /** Waits until `count` more events were accepted. */
  accepts(count: number): Promise<void>
  /** All publishers publish at the same time. Waits for the first response, so that the others are in progress. */
  bursts(): Promise<void>
  /** The figures so far. */
  readonly figures: LoadFigures
  /** Stops the load when every event was accepted. */
  stop(): Promise<LoadFigures>
  /** Stops it immediately, even with events that were not accepted. */
  abandon(): void
}

/** The statistics of the publishes. */
export interface LoadFigures {
  /** Requests without a 202, which were repeated. */
  readonly notAccepted: number
  /** The longest time between a request and its 202. */
  readonly longestMs: number
  /** The number of events that got a 202. */
  readonly accepted: number
  /** The longest time between a request and its response, whatever it is. */
  readonly slowestMs: number
}

const publisherCount = 8
const repeatAfterMs = 100
/** One publish in this number is a batch. */
const batchEvery = 4
const batchSize = 10

/**
 * Starts publishers, which run until the load is stopped: together about 30 events per second, each to several
 * endpoints. Faults wait for accepted events, not for a time, so that a lower rate takes processor time from no fault.
 *
 * @param options - `pauseMs`: the time between two publishes of a publisher; `backlogMax`: with more undelivered events,
 *   publishers wait, so that a busy machine does not deliver for minutes afterwards.
 */
export function startLoad(
  system: System,
  { pauseMs = 800, backlogMax = Infinity }: { pauseMs?: number; backlogMax?: number } = {},
): Load {
  const news = new EventEmitter().setMaxListeners(0)
  const stopping = new AbortController()
  const abandoning = new AbortController()
  const figures = { accepted: 0, notAccepted: 0, longestMs: 0, slowestMs: 0 }

  /** Repeats a publish without a 202 at the other process, which the event ids make safe. */
  async function publish(events: readonly PublishedEvent[], number: number): Promise<void> {
    for (let turn = number; ; turn++) {
      abandoning.signal.throwIfAborted()
      const api = system.apis[turn % system.apis.length]!
      const response = await send(api, events)
      const ms = Math.round(response?.ms ?? 0)
      figures.slowestMs = Math.max(figures.slowestMs, ms)
      if (response?.status === 202) {
        figures.longestMs = Math.max(figures.longestMs, ms)
        requireCounts(response, events, system)
        break
      }
      if (response && response.status !== 503) throw new Error(`got ${JSON.stringify(response)}`)
      figures.notAccepted += 1
      await setTimeout(repeatAfterMs)
    }
    system.ledger.accept(events)
    figures.accepted += events.length
    news.emit('accepted')
  }

  async function runPublisher(number: number): Promise<void> {
    for (let turn = number; !stopping.signal.aborted; turn++) {
      const events = buildEvents(system.tenantIds, turn % batchEvery === 0 ? batchSize : 1)
      await publish(events, turn)
      do await Promise.race([setTimeout(pauseMs), once(news, 'burst')])
      while (system.ledger.backlog() > backlogMax && !stopping.signal.aborted)
    }
  }

  const publishers = Promise.all(Array.from({ length: publisherCount }, (_, n) => runPublisher(n)))
  // `stop` reports the error; until then it is not an unhandled rejection.
  publishers.catch(() => undefined)
  const orFailure = (waiting: Promise<unknown>) => Promise.race([waiting, publishers])

  return {
    figures,
    async accepts(count) {
      const goal = figures.accepted + count
      while (figures.accepted < goal) await orFailure(once(news, 'accepted'))
    },
    async bursts() {
      news.emit('burst')
      await orFailure(once(news, 'accepted'))
    },
    async stop() {
      stopping.abort()
      await publishers
      return figures
    },
    abandon: () => abandoning.abort(),
  }
}

/** Events of any of the organizations. */
const buildEvents = (tenantIds: readonly string[], count: number): PublishedEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    tenant_id: tenantIds[randomInt(tenantIds.length)]!,
    type: publishedTypes[index % publishedTypes.length]!,
  }))

/** `undefined`: no response. */
async function send(
  api: ServiceProcess,
  events: readonly PublishedEvent[],
): Promise<CallerResponse | undefined> {
  const bodies = events.map((event) => ({ ...event, data: siteData }))
  const body = bodies.length === 1 ? bodies[0] : { events: bodies }
  return await callerOf(api)
    .callInternal('post', '/events', body)
    .catch(() => undefined)
}

/** Every publish of an event returns the number of its deliveries. */
function requireCounts(
  { body }: CallerResponse,
  events: readonly PublishedEvent[],
  { endpoints }: System,
): void {
  const items = events.map((event) => ({
    id: event.id,
    deliveries: endpointsOf(event, endpoints).length,
  }))
  if (JSON.stringify(body.items) !== JSON.stringify(items)) {
    throw new Error(`published ${JSON.stringify(items)}, got ${JSON.stringify(body.items)}`)
  }
}
