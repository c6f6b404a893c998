import { lanes } from '@hosting/core/webhooks'
import type { DueLimits, DueWork } from '@hosting/postgres/deliveries'
import { setTimeout } from 'node:timers/promises'

/** Decides when the relay sweeps again. */
export interface SweepPause {
  /** Forgets the previous sweep, because the next one has started. */
  reset(): void
  noteSweep(work: DueWork, room: DueLimits['max']): void
  noteEnd(): void
  wait(stopping: AbortSignal): Promise<void>
}

/** The interval while nothing more is due, or while there is no room for it. */
const everyMs = 250
/**
 * The interval after a sweep that found nothing due. Attempts are taken up to a second early, so
 * they are still in time.
 */
const idleMs = 500

/**
 * While more is due than a sweep took, the next sweep follows at once if there is room, or as soon
 * as enough attempts have ended. Otherwise sweeps follow at intervals.
 *
 * @param workerConcurrency - the number of slots of each lane of the worker.
 */
export function createSweepPause(workerConcurrency: number): SweepPause {
  /** With less room, a sweep is not worth its cost, because the queue is not empty yet. */
  const roomMin = Math.max(1, Math.floor(workerConcurrency / 2))
  let room = 0
  let isMore = false
  let isIdle = false
  let wake: () => void = () => undefined
  const isWorthwhile = (): boolean => isMore && room >= roomMin

  return {
    reset() {
      room = 0
      isMore = false
      isIdle = false
    },
    noteSweep(work, max) {
      const more = lanes.filter((lane) => work.isMore[lane])
      const left = more.map(
        (lane) => max[lane] - work.attempts.filter((attempt) => attempt.lane === lane).length,
      )
      isMore = more.length > 0
      isIdle = !isMore && work.attempts.length === 0 && work.backlogged.size === 0
      // `room` already includes attempts that ended during the sweep.
      room += Math.max(0, ...left)
      wake()
    },
    noteEnd() {
      room += 1
      if (isWorthwhile()) wake()
    },
    async wait(stopping) {
      if (isWorthwhile() || stopping.aborted) return
      const early = new AbortController()
      wake = () => {
        if (isWorthwhile()) early.abort()
      }
      const signal = AbortSignal.any([stopping, early.signal])
      await setTimeout(isIdle ? idleMs : everyMs, undefined, { signal }).catch(() => undefined)
      wake = () => undefined
    },
  }
}
