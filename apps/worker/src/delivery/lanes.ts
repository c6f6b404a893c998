import { createTurns, InProgress } from '@hosting/core/concurrency'
import { endpointSlotsOf, lanes, type Lane, type TakenAttempt } from '@hosting/core/webhooks'
import { withLogFields } from '@hosting/process'
import { consumeAttempts, redisTopologyOf, type AttemptConsumer } from '@hosting/redis'
import type { Services } from '../services.ts'
import { createDetach } from './fairness.ts'
import { createMakeAttempt } from './make-attempt.ts'
import { createPostpone, type PostponeReason } from './postpone.ts'
import { createRecords } from './records.ts'
import type { OnSlowLookup } from './send.ts'

/** The consumers of the lanes, with their attempts in progress. */
export interface Lanes {
  /** Whether jobs of a lane are taken: Redis responds to its consumer, and no shard is stuck. */
  isLive(lane: Lane): Promise<boolean>
  /** Whether Redis responds to the consumer of any lane. */
  responds(): Promise<boolean>
  /** Whether attempts can be recorded. If not, no jobs are taken. */
  canRecord(): boolean
  /** Takes no more jobs, and waits until the attempts in progress are recorded. */
  close(): Promise<void>
}

/**
 * How long an attempt waits for a slot of its endpoint. It occupies a lane slot while it waits, so
 * the wait is short.
 */
const slotWaitMs = 200

/**
 * Starts one consumer per lane. It takes no jobs while the worker cannot sign or record. A worker owns an
 * attempt by its lease in PostgreSQL, not by its job, so a job may end before its attempt does.
 * Attempts that take long are detached from the normal lane, so an endpoint that starts to hang
 * occupies its slots for at most a second.
 */
export function startLanes(services: Services): Lanes {
  const { config, relay, watch, signing, tenantShares } = services
  const logFailure = createLogFailure(services)
  const records = createRecords(services)
  const postpone = createPostpone(services)
  const makeAttempt = createMakeAttempt(services, { postpone, record: records.record })
  const detachIfLong = createDetach(services)
  const slotsOf = endpointSlotsOf(config.endpointConcurrency)
  const slots = createTurns({ perKey: slotsOf.normal, waitMs: slotWaitMs })
  const inProgress = new InProgress<Promise<void>>()
  const slowNames = createSlowNames()
  let closing = false

  const mayAttempt = (): boolean => signing.canSign() && records.canRecord()

  /** Why an attempt is postponed before it waits for a slot of its endpoint. */
  function reasonAgainst({ endpointId }: TakenAttempt): PostponeReason | undefined {
    if (!mayAttempt()) return 'worker'
    if (slowNames.has(endpointId)) return 'lookup'
    return closing ? 'shutdown' : undefined
  }

  async function runWithinTenantShare(taken: TakenAttempt): Promise<void> {
    const { tenantId } = taken
    if (!tenantShares.enter(tenantId)) return logFailure(taken, () => postpone(taken, 'share'))
    await run('normal', taken).finally(() => tenantShares.leave(tenantId))
  }

  async function run(lane: Lane, taken: TakenAttempt): Promise<void> {
    const reason = reasonAgainst(taken)
    if (reason) return logFailure(taken, () => postpone(taken, reason))
    const { endpointId } = taken
    const perKey = slotsOf[lane]
    const leave = await slots.take(endpointId, { perKey, waitingPerKey: perKey })
    if (!leave) return logFailure(taken, () => postpone(taken, 'slots'))
    const { slow, onSlowLookup } = slowNames.watch(endpointId)
    const made = logFailure(taken, () => makeAttempt(taken, onSlowLookup)).finally(() => {
      leave()
      relay.noteEnd(endpointId)
      forget()
    })
    const forget = inProgress.add(made)
    await (lane === 'normal' ? detachIfLong(made, { taken, slow }) : made)
  }

  const consumers = createLaneConsumers(services, {
    mayConsume: () => mayAttempt() && !closing,
    runs: { normal: runWithinTenantShare, slow: (taken) => run('slow', taken) },
  })
  signing.onChange(consumers.startOrStop)
  records.onChange(consumers.startOrStop)
  consumers.startOrStop()
  return {
    canRecord: records.canRecord,
    responds: consumers.responds,
    isLive: async (lane) => !watch.isStuck(lane) && (await consumers.isLive(lane)),
    async close() {
      closing = true
      consumers.startOrStop()
      await consumers.stopped()
      await Promise.allSettled(inProgress.items())
    },
  }
}

/** What makes an attempt of a lane. */
type Run = (taken: TakenAttempt) => Promise<void>

interface LaneConsumerOptions {
  readonly mayConsume: () => boolean
  readonly runs: Readonly<Record<Lane, Run>>
}

/** The consumers of the lanes. They exist only while the worker may take jobs. */
function createLaneConsumers(services: Services, { mayConsume, runs }: LaneConsumerOptions) {
  let consumers: ReadonlyMap<Lane, AttemptConsumer> = new Map()
  const stopping: Promise<void>[] = []
  return {
    /** Whether the consumer of a lane takes jobs, and Redis responds to it. */
    async isLive(lane: Lane): Promise<boolean> {
      const consumer = consumers.get(lane)
      return consumer !== undefined && (await consumer.responds()) && consumer.isLive()
    },
    async responds(): Promise<boolean> {
      const asked = [...consumers.values()].map((consumer) => consumer.responds())
      return (await Promise.all(asked)).includes(true)
    },
    /** Starts or stops the consumers, depending on whether the worker may take jobs. */
    startOrStop(): void {
      if (!mayConsume()) {
        for (const consumer of consumers.values()) stopping.push(consumer.close())
        consumers = new Map()
      } else if (consumers.size === 0) {
        consumers = new Map(lanes.map((lane) => [lane, consume(services, lane, runs[lane])]))
      }
    },
    /** Waits until the stopped consumers have finished their jobs. */
    async stopped(): Promise<void> {
      await Promise.all(stopping)
    },
  }
}

function consume({ config, log, metrics, watch }: Services, lane: Lane, run: Run): AttemptConsumer {
  const runJob = async (taken: TakenAttempt, shard: number): Promise<void> => {
    watch.noteTaken(lane, shard)
    metrics.attemptsInProgress.inc({ lane })
    await run(taken).finally(() => metrics.attemptsInProgress.dec({ lane }))
  }
  return consumeAttempts(redisTopologyOf(config), runJob, {
    lane,
    concurrency: config.workerConcurrency,
    onError: (error) => log.warn({ err: error, lane }, 'the consumer reported an error'),
  })
}

/** Returns a function that logs failures of an attempt, with its delivery. The relay then creates a new job for it. */
const createLogFailure =
  ({ log }: Services) =>
  ({ deliveryId, number }: TakenAttempt, run: () => Promise<void>): Promise<void> =>
    withLogFields({ deliveryId, number }, () =>
      run().catch((error: unknown) => log.warn({ err: error }, 'an attempt failed')),
    )

/** The endpoints with a slow name lookup in progress. Further attempts to them would only wait for it. */
interface SlowNames {
  has(endpointId: string): boolean
  /** Watches an attempt of an endpoint. `slow` resolves when the attempt waits for a slow lookup. */
  watch(endpointId: string): { onSlowLookup: OnSlowLookup; slow: Promise<void> }
}

function createSlowNames(): SlowNames {
  const endpointIds = new Set<string>()
  return {
    has: (endpointId) => endpointIds.has(endpointId),
    watch(endpointId) {
      const { promise, resolve } = Promise.withResolvers<void>()
      return {
        slow: promise,
        onSlowLookup(lookup) {
          endpointIds.add(endpointId)
          const forget = () => endpointIds.delete(endpointId)
          lookup.then(forget, forget)
          resolve()
        },
      }
    },
  }
}
