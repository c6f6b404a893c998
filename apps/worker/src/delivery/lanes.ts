import { createBatcher, createTurns } from '@hosting/core/concurrency'
import { type Config } from '@hosting/core/configuration'
import { type Lane } from '@hosting/core/webhooks'
import { releaseHolds } from '@hosting/postgres/deliveries'
import { withLogFields } from '@hosting/process'
import {
  consumeAttempts,
  redisPlaceOf,
  type AttemptConsumer,
  type AttemptJob,
} from '@hosting/redis'
import { slowSlots } from '../relay/relay.ts'
import type { Services } from '../services.ts'
import { createAttempter } from './attempt.ts'
import { createLaneConsumers } from './lane-consumers.ts'
import { createRecords } from './records.ts'
import { createSlowNames } from './slow-names.ts'

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
/** An attempt that takes longer is detached: it continues, and frees its slot of the lane. */
const detachAfterMs = 1_000
/**
 * How long an attempt is put off that cannot be signed, whose tenant has used up its share of the lane, or that would
 * wait for a slow lookup.
 */
const putOffMs = 1_000
/** The limit of detached attempts, as a multiple of the slots of a lane. */
const detachedFactor = 10

/**
 * Starts one consumer per lane. It takes no jobs while the worker cannot sign or record. A worker owns an
 * attempt by its lease in PostgreSQL, not by its job, so a job may end before its attempt does.
 * Attempts that take long are detached from the normal lane, so an endpoint that starts to hang
 * occupies its slots for at most a second.
 */
export function startLanes(services: Services): Lanes {
  const { config, log, relay, watch, signing, tenantShares } = services
  const records = createRecords(services)
  const makeAttempt = createAttempter(services, records)
  const release = createRelease(services)
  const detachIfLong = createDetach(services)
  const slotsOf = endpointSlotsOf(config)
  const slots = createTurns({ perKey: slotsOf.normal, waitMs: slotWaitMs })
  const underWay = new Set<Promise<void>>()
  const slowNames = createSlowNames()
  let closing = false

  /** Logs failures here, where the delivery is known. The relay creates a new job for the attempt. */
  const inLog = ({ deliveryId, number }: AttemptJob, work: () => Promise<void>): Promise<void> =>
    withLogFields({ deliveryId, number }, () =>
      work().catch((error: unknown) => log.warn({ err: error }, 'an attempt failed')),
    )

  const mayAttempt = (): boolean => signing.canSign() && records.canRecord()

  const putOff = ({ deliveryId }: AttemptJob) => release({ deliveryId, forMs: putOffMs })

  async function runInShare(job: AttemptJob): Promise<void> {
    const { tenantId } = job
    // Jobs of the previous release have no tenant.
    if (tenantId === undefined) return run('normal', job)
    if (!tenantShares.enter(tenantId)) return inLog(job, () => putOff(job))
    await run('normal', job).finally(() => tenantShares.leave(tenantId))
  }

  async function run(lane: Lane, job: AttemptJob): Promise<void> {
    const { endpointId } = job
    if (!mayAttempt() || slowNames.has(endpointId)) return inLog(job, () => putOff(job))
    const limits = { perKey: slotsOf[lane], waitingPerKey: slotsOf[lane] }
    const leave = closing ? undefined : await slots.take(endpointId, limits)
    if (!leave) {
      return inLog(job, () => release({ deliveryId: job.deliveryId, forMs: 0 }))
    }
    const { slow, onSlowLookup } = slowNames.watch(endpointId)
    const made = inLog(job, () => makeAttempt(job, onSlowLookup)).finally(() => {
      leave()
      relay.noteEnd(endpointId)
      underWay.delete(made)
    })
    underWay.add(made)
    await (lane === 'normal' ? detachIfLong(made, { job, slow }) : made)
  }

  const consume = createConsume(services, { normal: runInShare, slow: (job) => run('slow', job) })
  const consumers = createLaneConsumers(consume, () => mayAttempt() && !closing)
  signing.onChange(consumers.adapt)
  records.onChange(consumers.adapt)
  consumers.adapt()
  return {
    canRecord: records.canRecord,
    responds: consumers.responds,
    isLive: async (lane) => !watch.isStuck(lane) && (await consumers.isLive(lane)),
    async close() {
      closing = true
      consumers.adapt()
      await consumers.stopped()
      await Promise.allSettled(underWay)
    },
  }
}

/** Returns a function that creates the consumer of a lane. */
const createConsume =
  (services: Services, runs: Readonly<Record<Lane, (job: AttemptJob) => Promise<void>>>) =>
  (lane: Lane): AttemptConsumer => {
    const { config, log } = services
    return consumeAttempts(redisPlaceOf(config), noted(services, lane, runs[lane]), {
      lane,
      concurrency: config.workerConcurrency,
      lockMs: config.jobLockMs,
      onError: (error) => log.warn({ err: error, lane }, 'the consumer reported an error'),
    })
  }

const endpointSlotsOf = ({ endpointConcurrency: normal }: Config): Record<Lane, number> => ({
  normal,
  slow: slowSlots(normal),
})

/**
 * Returns a function that waits for an attempt until it completes or is detached from its lane: after a second, or
 * when `slow` resolves.
 */
function createDetach({ config, metrics, tenantShares }: Services) {
  const detachedMax = detachedFactor * config.workerConcurrency
  let detached = 0
  const detach = (made: Promise<void>, tenantId: string | undefined): void => {
    metrics.attemptsInProgress.set({ place: 'beside' }, ++detached)
    if (tenantId !== undefined) tenantShares.startDetached(tenantId)
    void made.finally(() => {
      metrics.attemptsInProgress.set({ place: 'beside' }, --detached)
      if (tenantId !== undefined) tenantShares.endDetached(tenantId)
    })
  }
  return (
    made: Promise<void>,
    { job: { tenantId }, slow }: { job: AttemptJob; slow: Promise<void> },
  ): Promise<void> =>
    new Promise((resolve) => {
      const leave = () => {
        clearTimeout(timer)
        if (detached >= detachedMax) return
        detach(made, tenantId)
        resolve()
      }
      const timer = setTimeout(leave, detachAfterMs)
      void slow.then(leave)
      void made.finally(() => {
        clearTimeout(timer)
        resolve()
      })
    })
}

const noted =
  ({ metrics, watch }: Services, lane: Lane, run: (job: AttemptJob) => Promise<void>) =>
  async (job: AttemptJob, shard: number): Promise<void> => {
    watch.noteTaken(lane, shard)
    metrics.attemptsInProgress.inc({ place: lane })
    try {
      await run(job)
    } finally {
      metrics.attemptsInProgress.dec({ place: lane })
    }
  }

/** An attempt that is released to the relay, at the earliest after `forMs`. */
interface Released {
  readonly deliveryId: string
  readonly forMs: number
}

/** Releases attempts to the relay, which creates new jobs for them when slots are free. */
const createRelease = ({ database, metrics }: Services) =>
  createBatcher(
    async (items: Released[]) => {
      metrics.released.inc(items.length)
      for (const forMs of new Set(items.map((item) => item.forMs))) {
        const ids = items.filter((item) => item.forMs === forMs).map((item) => item.deliveryId)
        await releaseHolds(database, ids, forMs)
      }
      return items.map(() => undefined as void)
    },
    { sizeMax: 500, callsMax: 1 },
  )
