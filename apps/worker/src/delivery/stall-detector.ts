import { lanes, type Lane } from '@hosting/core/webhooks'

/** Detects consumers that take no jobs. */
export interface StallDetector {
  /** Notes how many jobs wait in each shard of the lanes. */
  noteWaiting(waiting: Readonly<Record<Lane, readonly number[]>>): void
  noteTaken(lane: Lane, shard: number): void
  /** Whether jobs of a shard have waited too long while this process took none of them. */
  isStuck(lane: Lane): boolean
}

/**
 * A consumer is stuck if jobs wait in one of its queues and it takes none. The reason does not matter.
 *
 * @param patienceMs - longer than any attempt occupies its slot.
 * @param now - a clock in ms.
 */
export function createStallDetector(
  patienceMs: number,
  now = () => performance.now(),
): StallDetector {
  /** The time since which jobs have been waiting and none was taken, by shard. */
  const since: Readonly<Record<Lane, Map<number, number>>> = { normal: new Map(), slow: new Map() }
  return {
    noteWaiting(waiting) {
      for (const lane of lanes) {
        for (const [shard, count] of waiting[lane].entries()) {
          if (count === 0) since[lane].delete(shard)
          else if (!since[lane].has(shard)) since[lane].set(shard, now())
        }
      }
    },
    noteTaken: (lane, shard) => void since[lane].delete(shard),
    isStuck: (lane) => [...since[lane].values()].some((startMs) => now() - startMs > patienceMs),
  }
}
