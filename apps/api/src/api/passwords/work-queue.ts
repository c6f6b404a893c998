import { createTurns, type Turns } from '@hosting/core/concurrency'

/** The limits of a {@link WorkQueue}. */
export interface WorkQueueLimits {
  /** Maximum concurrent runs. */
  readonly runningMax: number
  /** Maximum admitted pieces of work, running or waiting. */
  readonly admittedMax: number
}

/** A bounded queue for expensive work. Work beyond the limit is rejected immediately instead of waiting. */
export class WorkQueue {
  readonly #limits: WorkQueueLimits
  readonly #turns: Turns
  #admitted = 0

  constructor(limits: WorkQueueLimits) {
    this.#limits = limits
    this.#turns = createTurns({ perKey: limits.runningMax })
  }

  /** The number of waiting runs. */
  get waiting(): number {
    return this.#turns.waiting
  }

  /** Whether {@link admit} would refuse. */
  get isFull(): boolean {
    return this.#admitted >= this.#limits.admittedMax
  }

  /** Starts a piece of work, which may call {@link run}. Returns `undefined` if the queue is full. */
  admit<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.isFull) return undefined
    this.#admitted += 1
    return work().finally(() => {
      this.#admitted -= 1
    })
  }

  /** Runs the expensive part of an admitted piece of work, in order of arrival. */
  async run<T>(expensive: () => Promise<T>): Promise<T> {
    const end = await this.#turns.take('work')
    try {
      return await expensive()
    } finally {
      end!()
    }
  }
}
