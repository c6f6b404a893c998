import { lanes, type Lane } from '@hosting/core'

/** Tells whether the consumers of the lanes do what they are for. */
export interface LaneWatch {
  noteWaiting(waiting: Readonly<Record<Lane, number>>): void
  noteTaken(lane: Lane): void
  /** Whether jobs have waited for so long without this process taking one. */
  isStuck(lane: Lane): boolean
}

/**
 * A consumer is stuck if jobs wait in its queue and it takes none, whatever the reason.
 *
 * @param patienceMs - longer than any attempt keeps its place.
 * @param now - a clock in ms.
 */
export function createLaneWatch(patienceMs: number, now = () => performance.now()): LaneWatch {
  /** Since when jobs have been waiting and none was taken. */
  const since = new Map<Lane, number>()
  return {
    noteWaiting(waiting) {
      for (const lane of lanes) {
        if (waiting[lane] === 0) since.delete(lane)
        else if (!since.has(lane)) since.set(lane, now())
      }
    },
    noteTaken: (lane) => void since.delete(lane),
    isStuck: (lane) => now() - (since.get(lane) ?? Infinity) > patienceMs,
  }
}
