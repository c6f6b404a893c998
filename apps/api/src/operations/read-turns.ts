import { Problem } from '@hosting/core'

/** How many expensive reads of an organization run at once, and how many may wait for how long. */
export interface ReadLimits {
  readonly runningMax: number
  readonly waitingMax: number
  readonly waitMsMax: number
}

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Limits the expensive reads of each organization in this process, so that one that asks for many at once leaves
 * connections and processors to the others. Its further reads wait for their turn; those that wait too long get 429.
 */
export class ReadTurns {
  readonly #limits: ReadLimits
  readonly #queues = new Map<string, Queue>()

  constructor(limits: ReadLimits = { runningMax: 2, waitingMax: 100, waitMsMax: 5_000 }) {
    this.#limits = limits
  }

  /** Reads when it is the organization's turn. Reads must not be nested. @throws Problem `rate_limited`. */
  async run<T>(tenantId: string, read: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(tenantId) ?? { running: 0, waiting: [] }
    this.#queues.set(tenantId, queue)
    if (queue.running >= this.#limits.runningMax) await this.#wait(queue)
    else queue.running += 1
    try {
      return await read()
    } finally {
      const next = queue.waiting.shift()
      if (next) next()
      else if ((queue.running -= 1) === 0) this.#queues.delete(tenantId)
    }
  }

  /** Resolves when a read that ends hands its place on. */
  #wait({ waiting }: Queue): Promise<void> {
    const { waitingMax, waitMsMax } = this.#limits
    if (waiting.length >= waitingMax) return Promise.reject(tooManyReads())
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1)
        reject(tooManyReads())
      }, waitMsMax)
      waiting.push(start)
    })
  }
}

const tooManyReads = (): Problem =>
  new Problem('rate_limited', {
    detail: 'Too many reads of your organization are running at once. Send fewer in parallel.',
    headers: { 'Retry-After': '1' },
  })
