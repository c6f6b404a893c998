import { lanes } from '@hosting/core/webhooks'
import type { DueLimits, DueBatch } from '@hosting/postgres/deliveries'
import { setTimeout } from 'node:timers/promises'

/** Tells the relay when an endpoint is due. */
export interface WakeupWatch {
  /** Waits until a look that began after `sinceMs` (`performance.now()`) finds one, or `stopping` aborts. */
  wait(kind: 'wakeups', sinceMs: number, stopping: AbortSignal): Promise<void>
}

/** Decides when the relay sweeps again. */
export interface SweepPause {
  /** Forgets the previous sweep, because the next one has started. */
  reset(): void
  noteSweep(batch: DueBatch, free: DueLimits['max']): void
  noteEnd(): void
  wait(stopping: AbortSignal): Promise<void>
}

/** The interval while nothing more is due, or while all slots are in use. */
const everyMs = 250
/** The longest rest. Each sweep also reads how many jobs wait in Redis, which metrics and readiness tell. */
const restMsMax = 5_000

/**
 * While more is due than a sweep took, the next sweep follows at once if slots are free, or as soon
 * as enough attempts have ended. Otherwise sweeps follow at intervals. After a sweep that found nothing due,
 * the relay rests until an endpoint is due or an attempt ends.
 *
 * @param workerConcurrency - the number of slots of each lane of the worker.
 * @param watch - tells that endpoints are due. Attempts are taken up to a second early, so those that wait for a look
 *   are still in time.
 */
export function createSweepPause(workerConcurrency: number, watch: WakeupWatch): SweepPause {
  /** With fewer free slots, the next sweep waits, because the queue is not empty yet. */
  const freeMin = Math.max(1, Math.floor(workerConcurrency / 2))
  let free = 0
  let isMore = false
  let isIdle = false
  let sweptMs = 0
  let wake: () => void = () => undefined
  const isWorthwhile = (): boolean => isMore && free >= freeMin

  return {
    reset() {
      free = 0
      isMore = false
      isIdle = false
      sweptMs = performance.now()
    },
    noteSweep(batch, max) {
      const more = lanes.filter((lane) => batch.isMore[lane])
      const left = more.map(
        (lane) => max[lane] - batch.attempts.filter((attempt) => attempt.lane === lane).length,
      )
      isMore = more.length > 0
      isIdle = !isMore && batch.attempts.length === 0 && batch.backlogged.size === 0
      // `free` already includes attempts that ended during the sweep.
      free += Math.max(0, ...left)
      wake()
    },
    noteEnd() {
      free += 1
      isIdle = false
      wake()
    },
    async wait(stopping) {
      if (isWorthwhile() || stopping.aborted) return
      const early = new AbortController()
      wake = () => {
        if (isWorthwhile()) early.abort()
      }
      const signal = AbortSignal.any([stopping, early.signal])
      await setTimeout(everyMs, undefined, { signal }).catch(() => undefined)
      if (isIdle) {
        wake = () => early.abort()
        await watch.wait(
          'wakeups',
          sweptMs,
          AbortSignal.any([signal, AbortSignal.timeout(restMsMax)]),
        )
      }
      wake = () => undefined
    },
  }
}
