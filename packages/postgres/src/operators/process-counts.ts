/** The upper ends of the steps in which times from publish to first attempt are counted, in ms. Longer ones are in one more step. */
const latencyStepsMs = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000,
] as const

/** What a process counted since the counts were last taken. */
export interface TakenCounts {
  readonly published: number
  readonly attempted: number
  /** First attempts by step; empty if there was none. */
  readonly latencies: readonly number[]
}

/** Counts what a process does, in memory. */
export class ProcessCounts {
  #published = 0
  #attempted = 0
  #latencies: number[] = []

  addPublished(events: number): void {
    this.#published += events
  }

  /** @param latencyMs - of a first attempt: the time from the publish to its start. */
  addAttempt(latencyMs?: number): void {
    this.#attempted += 1
    if (latencyMs === undefined) return
    if (this.#latencies.length === 0) this.#latencies = emptySteps()
    const step = latencyStepsMs.findIndex((end) => latencyMs <= end)
    this.#latencies[step === -1 ? latencyStepsMs.length : step]! += 1
  }

  /** Takes the counts. They begin at zero again. */
  take(): TakenCounts {
    const taken = {
      published: this.#published,
      attempted: this.#attempted,
      latencies: this.#latencies,
    }
    this.#published = 0
    this.#attempted = 0
    this.#latencies = []
    return taken
  }
}

const emptySteps = (): number[] => Array.from({ length: latencyStepsMs.length + 1 }, () => 0)

/**
 * The 95th percentile of times that were counted in steps, rounded up to the end of its step, in ms. The last step has no
 * end: of a percentile in it, its start is given.
 *
 * @returns `undefined` if nothing was counted.
 */
export function percentile95Of(latencies: readonly number[]): number | undefined {
  const total = latencies.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let below = 0
  const step = latencies.findIndex((count) => (below += count) >= total * 0.95)
  return latencyStepsMs[Math.min(step, latencyStepsMs.length - 1)]!
}
