import type { FirstJobs, NewDelivery } from '@hosting/postgres'
import type { AttemptProducer, QueueState } from '@hosting/redis'

type Sample = Pick<QueueState, 'waiting' | 'backlogged'>

/** How old the state of the queues may be, and past which age it says nothing. */
const sampleMs = 250
const staleMs = 2_000
/** With a queue this long, first jobs are the relay's, which is fair. */
const queueShort = 1_000
/** More of one tenant in one sample are the relay's too, so that its burst stands before nobody. */
const perTenantMax = 100

/**
 * Decides which new deliveries get their jobs at once. It asks nothing on the way of a request: the state of
 * the queues is read beside it, and what this process added since is counted.
 */
export class JobAdmission {
  readonly #attempts: AttemptProducer
  readonly #holdMs: number
  readonly #added = new Map<string, number>()
  #state: Sample = empty
  #sampledAt = -Infinity
  #sampling = false

  constructor(attempts: AttemptProducer, holdMs: number) {
    this.#attempts = attempts
    this.#holdMs = holdMs
  }

  /** Which deliveries of a publish get jobs; `undefined`: none, as Redis is away or its queue is long. */
  decide(): FirstJobs | undefined {
    if (!this.#attempts.isReady()) return undefined
    const ageMs = performance.now() - this.#sampledAt
    if (ageMs > sampleMs) void this.#sample()
    const { waiting, backlogged } = ageMs > staleMs ? empty : this.#state
    const addedSince = [...this.#added.values()].reduce((sum, count) => sum + count, 0)
    if (!backlogged || waiting.normal + addedSince >= queueShort) return undefined
    return {
      holdMs: this.#holdMs,
      perTenantMax,
      exceptTenantIds: [...this.#added].flatMap(([id, count]) => (count >= perTenantMax ? id : [])),
      exceptEndpointIds: [...backlogged],
    }
  }

  /** Counts what gets jobs now. */
  note(deliveries: readonly Pick<NewDelivery, 'tenantId'>[]): void {
    for (const { tenantId } of deliveries) {
      this.#added.set(tenantId, (this.#added.get(tenantId) ?? 0) + 1)
    }
  }

  async #sample(): Promise<void> {
    if (this.#sampling) return
    this.#sampling = true
    try {
      this.#added.clear()
      this.#state = await this.#attempts.readState()
      this.#sampledAt = performance.now()
    } catch {
      // Redis went away just now: `isReady` says so from the next publish on.
    } finally {
      this.#sampling = false
    }
  }
}

const empty: Sample = { waiting: { normal: 0, slow: 0 }, backlogged: new Set() }
