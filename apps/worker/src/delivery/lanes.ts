import type { Lane } from '@hosting/core'
import { releaseHolds } from '@hosting/postgres'
import { createBatcher, withLogFields } from '@hosting/process'
import {
  consumeAttempts,
  redisPlaceOf,
  type AttemptConsumer,
  type AttemptJob,
} from '@hosting/redis'
import { slowPlaces } from '../relay/relay.ts'
import type { Services } from '../services.ts'
import { createAttempter } from './attempt.ts'
import { createEndpointPlaces } from './endpoint-places.ts'
import { createLaneConsumers } from './lane-consumers.ts'

/** The consumers of the lanes, with the attempts that they have under way. */
export interface Lanes {
  isLive(lane: Lane): boolean
  /** Takes no further job, and waits until those in hand are recorded. */
  close(): Promise<void>
}

/** An attempt that waits for a place of its endpoint holds one of its lane meanwhile, so it waits not long. */
const placeWaitMs = 200
/** An attempt that takes longer leaves its lane to others and goes on beside it. */
const lingerMs = 1_000
/** So long an attempt is put off that cannot be signed, or whose tenant has used up its share of the lane. */
const putOffMs = 1_000
/** So many times as many attempts as a lane holds may go on beside it. */
const lingeringFactor = 10

/**
 * Starts a consumer a lane, which waits while the worker cannot sign. The lease in PostgreSQL, not the job, is what makes an attempt ours; so a job
 * may end before its attempt does: attempts that last leave the normal lane, and an endpoint that
 * starts to hang takes its places from nobody for longer than a second.
 */
export function startLanes(services: Services): Lanes {
  const { config, log, relay, watch, signing, tenantShares } = services
  const makeAttempt = createAttempter(services)
  const places = createEndpointPlaces(placeWaitMs)
  const giveBack = createGiveBack(services)
  const leaveIfLong = createLeave(services)
  const { endpointConcurrency: normal } = config
  const placesOf = { normal, slow: slowPlaces(normal) }
  const underWay = new Set<Promise<void>>()
  let closing = false

  /** What goes wrong is logged here, where the delivery is known; the relay brings the attempt again. */
  const inLog = ({ deliveryId, number }: AttemptJob, work: () => Promise<void>): Promise<void> =>
    withLogFields({ deliveryId, number }, () =>
      work().catch((error: unknown) => log.warn({ err: error }, 'an attempt failed')),
    )

  const putOff = ({ deliveryId }: AttemptJob): Promise<void> =>
    giveBack({ deliveryId, forMs: putOffMs })

  async function runInShare(job: AttemptJob): Promise<void> {
    const { tenantId } = job
    // A job of the previous release does not name its tenant.
    if (tenantId === undefined) return run('normal', job)
    if (!tenantShares.enter(tenantId)) return inLog(job, () => putOff(job))
    await run('normal', job).finally(() => tenantShares.leave(tenantId))
  }

  async function run(lane: Lane, job: AttemptJob): Promise<void> {
    if (!signing.canSign()) return inLog(job, () => putOff(job))
    if (closing || !(await places.enter(job.endpointId, placesOf[lane]))) {
      return inLog(job, () => giveBack({ deliveryId: job.deliveryId, forMs: 0 }))
    }
    const made = inLog(job, () => makeAttempt(job)).finally(() => {
      places.leave(job.endpointId)
      relay.noteEnd(job.endpointId)
      underWay.delete(made)
    })
    underWay.add(made)
    await (lane === 'normal' ? leaveIfLong(made, job) : made)
  }

  const consume = (lane: Lane): AttemptConsumer =>
    consumeAttempts(
      redisPlaceOf(config),
      noted(services, lane, (job) => (lane === 'normal' ? runInShare(job) : run(lane, job))),
      {
        lane,
        concurrency: config.workerConcurrency,
        lockMs: config.jobLockMs,
        onError: (error) => log.warn({ err: error, lane }, 'the consumer met an error'),
      },
    )
  const consumers = createLaneConsumers(consume, () => signing.canSign() && !closing)
  signing.onChange(consumers.adapt)
  consumers.adapt()
  return {
    isLive: (lane) => consumers.isLive(lane) && !watch.isStuck(lane),
    async close() {
      closing = true
      consumers.adapt()
      await consumers.stopped()
      await Promise.allSettled(underWay)
    },
  }
}

/** Waits for an attempt, but no longer than it may keep its lane: then it goes on beside it. */
function createLeave({ config, metrics, tenantShares }: Services) {
  const lingeringMax = lingeringFactor * config.workerConcurrency
  let lingering = 0
  const goOnBeside = (made: Promise<void>, tenantId: string | undefined): void => {
    metrics.inHand.set({ place: 'beside' }, ++lingering)
    if (tenantId !== undefined) tenantShares.startBeside(tenantId)
    void made.finally(() => {
      metrics.inHand.set({ place: 'beside' }, --lingering)
      if (tenantId !== undefined) tenantShares.endBeside(tenantId)
    })
  }
  return (made: Promise<void>, { tenantId }: AttemptJob): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (lingering >= lingeringMax) return
        goOnBeside(made, tenantId)
        resolve()
      }, lingerMs)
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
    metrics.inHand.inc({ place: lane })
    try {
      await run(job)
    } finally {
      metrics.inHand.dec({ place: lane })
    }
  }

/** An attempt that is left to the relay, for a while at least. */
interface GivenBack {
  readonly deliveryId: string
  readonly forMs: number
}

/** Leaves attempts to the relay, which brings them when there is a place. */
const createGiveBack = ({ database, metrics }: Services) =>
  createBatcher(
    async (items: GivenBack[]) => {
      metrics.givenBack.inc(items.length)
      for (const forMs of new Set(items.map((item) => item.forMs))) {
        const ids = items.filter((item) => item.forMs === forMs).map((item) => item.deliveryId)
        await releaseHolds(database, ids, forMs)
      }
      return items.map(() => undefined as void)
    },
    { sizeMax: 500, callsMax: 1 },
  )
