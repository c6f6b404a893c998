import { Problem } from '@hosting/core'

/** How many expensive reads of an organization run at a time, and how many may wait for how long. */
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
 * Limits the concurrent expensive reads of each organization in this process, so that none of them takes all
 * connections and CPU time. Further reads wait for their turn; those that wait too long get 429.
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

  /** Resolves when a finished read passes its slot on. */
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
    detail: 'Your organization has too many concurrent reads. Send fewer requests in parallel.',
    headers: { 'Retry-After': '1' },
  })
