import { lanes } from '@hosting/core'
import type { DueLimits, DueWork } from '@hosting/postgres'
import { setTimeout } from 'node:timers/promises'

/** Decides when the relay sweeps again. */
export interface SweepPause {
  /** Forgets the sweep before: the next one has started. */
  reset(): void
  noteSweep(work: DueWork, room: DueLimits['max']): void
  noteEnd(): void
  wait(stopping: AbortSignal): Promise<void>
}

/** While nothing more was there to be taken, or while there is no room for it. */
const everyMs = 250
/** After a sweep that found nothing due. What comes due is taken a second ahead, so it is still in time. */
const idleMs = 500

/**
 * While more is due than a sweep took, the next one follows: at once if there is room, otherwise when attempts
 * ended that leave enough of it. Else a sweep follows at intervals.
 *
 * @param workerConcurrency - how many attempts of each lane the worker makes at a time.
 */
export function createSweepPause(workerConcurrency: number): SweepPause {
  /** Less room is not worth a sweep while the queue is not empty yet. */
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
      // Attempts that ended during the sweep are counted already.
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
