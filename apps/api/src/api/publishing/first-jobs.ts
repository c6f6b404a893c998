import { failPoint } from '@hosting/core/fail-points'
import type { Database } from '@hosting/postgres/database'
import { postponeAttempts } from '@hosting/postgres/deliveries'
import type { NewDelivery, FirstJobs } from '@hosting/postgres/webhooks'
import type { Logger } from '@hosting/process'
import type { AttemptProducer, QueueState } from '@hosting/redis'
import type { Counter } from 'prom-client'
import type { Work } from '../work.ts'

/** What adding jobs uses of the API's services. */
export interface FirstJobServices {
  readonly attempts: AttemptProducer
  readonly database: Database
  readonly jobAdmission: JobAdmission
  readonly log: Logger
  readonly metrics: { readonly firstJobs: Counter }
}

/** Adds the first jobs of committed deliveries. Attempts whose jobs Redis does not accept are postponed. */
export async function addFirstJobs(
  { attempts, jobAdmission, database, log, metrics }: FirstJobServices,
  deliveries: readonly Omit<NewDelivery, 'held'>[],
): Promise<void> {
  if (deliveries.length === 0) return
  jobAdmission.note(deliveries)
  const notAdded = await attempts.add(
    deliveries.map(({ deliveryId, endpointId, tenantId }) => ({
      state: 'due' as const,
      deliveryId,
      endpointId,
      tenantId,
      number: 1,
      lane: 'normal' as const,
      delayMs: 0,
    })),
  )
  failPoint('publish.jobs-added')
  const postponed = (notAdded?.attempts ?? []).map((attempt) => ({ attempt, forMs: 0 }))
  metrics.firstJobs.inc(deliveries.length - postponed.length)
  if (!notAdded) return
  log.debug({ err: notAdded.reason, jobs: postponed.length }, 'first attempts are postponed')
  await postponeAttempts(database, postponed).catch((failure: unknown) => {
    log.debug({ err: failure }, 'holds are left to expire')
  })
}

/** Adds the first job of a held delivery after the request's transaction commits. */
export function addFirstJobAfter(
  { afterCommit }: Work,
  services: FirstJobServices,
  { heldForMs, ...delivery }: Omit<NewDelivery, 'held'> & { heldForMs: number },
): void {
  if (heldForMs > 0) afterCommit(() => addFirstJobs(services, [delivery]))
}

type Sample = Pick<QueueState, 'waiting' | 'backlogged'>

/** The age at which the state of the queues is read again, in ms. */
const sampleMs = 250
/** The age from which it is ignored, in ms. */
const staleMs = 2_000
/** With a longer queue, first jobs are left for the relay to create, which is fair. */
const shortQueueMax = 1_000
/**
 * Beyond this number per tenant and sample, jobs are left for the relay to create, so that a burst delays nobody else
 * (docs/specification/fairness.md). The statement of a publish applies it (`queued-deliveries.sql`).
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
