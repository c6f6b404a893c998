/** The limits of a {@link WorkQueue}. */
export interface WorkQueueLimits {
  /** Runs at the same time. */
  readonly runningMax: number
  /** Pieces of work that are admitted at the same time, whether they run or wait. */
  readonly admittedMax: number
}

/** A bounded queue for work that is expensive to run: what exceeds it is refused at once instead of waiting. */
export class WorkQueue {
  readonly #limits: WorkQueueLimits
  #admitted = 0
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(limits: WorkQueueLimits) {
    this.#limits = limits
  }

  /** How many runs wait for others to end. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether {@link admit} would refuse. */
  get isFull(): boolean {
    return this.#admitted >= this.#limits.admittedMax
  }

  /** Starts a piece of work, which may call {@link run}; gives `undefined` if the queue is full. */
  admit<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.isFull) return undefined
    this.#admitted += 1
    return work().finally(() => {
      this.#admitted -= 1
    })
  }

  /** Runs the expensive part of an admitted piece of work, in order of arrival. */
  async run<T>(expensive: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limits.runningMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else {
      this.#running += 1
    }
    try {
      return await expensive()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
