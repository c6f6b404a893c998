import type { FirstJobs, NewDelivery } from '@hosting/postgres/webhooks'
import type { AttemptProducer, QueueState } from '@hosting/redis'

type Sample = Pick<QueueState, 'waiting' | 'backlogged'>

/** The age at which the state of the queues is read again, in ms. */
const sampleMs = 250
/** The age from which it is ignored, in ms. */
const staleMs = 2_000
/** With a longer queue, first jobs are left for the relay to create, which is fair. */
const shortQueueMax = 1_000
/**
 * Beyond this number per tenant and sample, jobs are left for the relay to create, so that a burst delays nobody else
 * (docs/specification/fairness.md). The statement of a publish applies it (`publish-events.sql`).
 */
const perTenantMax = 100

/**
 * Decides which new deliveries get their first jobs immediately. Requests never wait for it: the state of the
 * queues is sampled in the background, and jobs that this process added since are counted.
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

  /** Which deliveries of a publish get jobs; `undefined`: none, because Redis is unavailable or its queue is long. */
  decide(): FirstJobs | undefined {
    if (!this.#attempts.isReady()) return undefined
    const ageMs = performance.now() - this.#sampledAt
    if (ageMs > sampleMs) void this.#sample()
    const { waiting, backlogged } = ageMs > staleMs ? empty : this.#state
    const addedSince = [...this.#added.values()].reduce((sum, count) => sum + count, 0)
    if (!backlogged || waiting.normal + addedSince >= shortQueueMax) return undefined
    return {
      holdMs: this.#holdMs,
      perTenantMax,
      exceptTenantIds: [...this.#added].flatMap(([id, count]) => (count >= perTenantMax ? id : [])),
      exceptEndpointIds: [...backlogged],
    }
  }

  /** How long one new delivery is held for its first job, in ms. 0: it gets none, and the relay creates it. */
  holdMsOf({ tenantId, endpointId }: Pick<NewDelivery, 'tenantId' | 'endpointId'>): number {
    const first = this.decide()
    const isExcepted =
      first?.exceptTenantIds.includes(tenantId) || first?.exceptEndpointIds.includes(endpointId)
    return !first || isExcepted ? 0 : first.holdMs
  }

  /** Counts deliveries that get jobs now. */
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
      // Redis has become unavailable: `isReady` reports it from the next publish on.
    } finally {
      this.#sampling = false
    }
  }
}

const empty: Sample = { waiting: { normal: 0, slow: 0 }, backlogged: new Set() }
