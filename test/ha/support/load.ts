import { createRandom } from '../../faults/schedule/random.ts'
import { runPublishers } from '../../faults/clients/publishers.ts'
import type { Tally } from '../../faults/history/tally.ts'
import { until } from '../../support/until.ts'
import type { System } from './system.ts'

/** Running publishers. */
export interface Load {
  /** Waits until `count` more events were accepted. */
  accepts(count: number): Promise<void>
  /** What was published and delivered so far. */
  readonly figures: Tally
  /** Stops the load when every event was accepted. */
  stop(): Promise<Tally>
  /** Stops it immediately, even with events that were not accepted. */
  abandon(): void
}

const publishers = 8
const batchSize = 10
/** Longer than any failover. */
const patienceMs = 240_000

/**
 * Starts publishers, which run until the load is stopped: together about 30 events per second, each to several
 * endpoints. Faults wait for accepted events, not for a time, so that a lower rate takes processor time from no fault.
 *
 * @param options - `pauseMs`: the mean time between two publishes of a publisher; `backlogMax`: with more undelivered
 *   events, publishers wait, so that a busy machine does not deliver for minutes afterwards.
 */
export function startLoad(
  { recorder, apis, world, tally }: System,
  { pauseMs = 800, backlogMax = Infinity }: { pauseMs?: number; backlogMax?: number } = {},
): Load {
  const stopping = new AbortController()
  const abandoning = new AbortController()
  const isHeld = (): boolean => tally().accepted.length - tally().acknowledged.size > backlogMax
  const scene = { recorder, apis: apis.map((process) => ({ process })), world }
  const publishing = runPublishers(
    scene,
    createRandom(Date.now()),
    { stopping: stopping.signal, abandoning: abandoning.signal },
    { publishers, pauseMs, batchSize, repeatsMax: Infinity, isHeld },
  )
  return {
    get figures() {
      return tally()
    },
    async accepts(count) {
      const goal = tally().accepted.length + count
      await until(
        async () => tally().accepted.length,
        (sum) => sum >= goal,
        patienceMs,
      )
    },
    async stop() {
      stopping.abort()
      await publishing
      return tally()
    },
    abandon() {
      stopping.abort()
      abandoning.abort()
    },
  }
}
