import { type Config } from '@hosting/core/configuration'
import { failPoint } from '@hosting/core/fail-points'
import { endpointSlotsOf, lanes, type DueAttempt, type Lane } from '@hosting/core/webhooks'
import { type Database } from '@hosting/postgres/database'
import {
  postponeAttempts,
  relayHorizonMs,
  takeDueAttempts,
  type DueLimits,
  type DueBatch,
} from '@hosting/postgres/deliveries'
import type { Logger } from '@hosting/process'
import type { AttemptProducer, QueueState } from '@hosting/redis'
import type { Gauge, Histogram } from 'prom-client'
import { createSweepPause, type WakeupWatch } from './sweep-pause.ts'

/** What the relay uses of the worker's services. */
interface RelayServices {
  readonly config: Config
  readonly database: Database
  readonly attempts: AttemptProducer
  readonly log: Logger
  readonly metrics: {
    readonly backlogged: Gauge
    readonly backlogSeconds: Gauge
    readonly relayLagSeconds: Histogram
    readonly waiting: Gauge<'lane'>
  }
  readonly tenantShares: { tenantsWithoutShare(): string[] }
  readonly dutyWatch: WakeupWatch
}

/** Creates jobs for due attempts that have none. See {@link createRelay}. */
export interface Relay {
  /** Processes the endpoints whose wake-up time has come. */
  sweep(): Promise<void>
  /** Whether a sweep has succeeded since the start. Before, the worker is not ready. */
  hasSwept(): boolean
  /** For how long the oldest due delivery has been due, in ms. `null` before the first sweep. */
  oldestDueMs(): number | null
  /** Waits until the next sweep. */
  pause(stopping: AbortSignal): Promise<void>
  /** Notes that an attempt ended. If its endpoint has a backlog, more of it follows soon. */
  noteEnd(endpointId: string): void
  /** Waits for the calls in progress and starts no more. */
  close(): Promise<void>
}

/** Ended attempts are collected for this long before more is taken from their endpoints' backlogs. */
const coalesceMs = 20
/** The interval at which a sweep reads all wake-ups, including those that earlier sweeps should have read. */
const fullSweepMs = 60_000
/** The reported age of the backlog is the greatest of all sweeps in this time. */
const backlogAgeMs = 5_000

/**
 * The relay creates jobs for due attempts that have none: retries, deliveries of an endpoint that
 * was enabled, deliveries that a publish left to it, and attempts whose jobs Redis lost or never
 * got. Together with the jobs that a publish adds, this delivers every accepted event at least
 * once. The relay keeps the queues short, and the share of each endpoint in them small. A backlog
 * waits in PostgreSQL, where it does not delay other endpoints.
 *
 * @param onState - called with the state of the queues each time it is read.
 */
export function createRelay(services: RelayServices, onState: (state: QueueState) => void): Relay {
  const { attempts, metrics, config } = services
  const take = createTake(services, onState)
  const backlogs = createBacklogs(services, take)
  const pause = createSweepPause(config.workerConcurrency, services.dutyWatch)
  let oldestDueMs: number | null = null
  const noteBacklogAge = createAgeGauge((ms) => {
    oldestDueMs = ms
    metrics.backlogSeconds.set(ms / 1_000)
  })
  let wakeupsFrom: DueLimits['wakeupsFrom']
  let fullSweepAt = -Infinity
  let hasShared = false
  let hasSwept = false

  return {
    async sweep() {
      pause.reset()
      if (!attempts.isReady()) return
      if (performance.now() - fullSweepAt > fullSweepMs) {
        wakeupsFrom = undefined
        fullSweepAt = performance.now()
      }
      const { batch, free } = await take(wakeupsFrom)
      wakeupsFrom = batch.nextWakeupsFrom
      pause.noteSweep(batch, free)
      backlogs.learn(batch.backlogged)
      noteBacklogAge(batch.oldestDueMs)
      metrics.backlogged.set(batch.backlogged.size)
      // A shared list expires, so there is no need to share an empty list repeatedly.
      if (batch.backlogged.size > 0 || hasShared) await attempts.shareBacklogged(batch.backlogged)
      hasShared = batch.backlogged.size > 0
      hasSwept = true
    },
    hasSwept: () => hasSwept,
    oldestDueMs: () => oldestDueMs,
    pause: (stopping) => pause.wait(stopping),
    noteEnd(endpointId) {
      pause.noteEnd()
      backlogs.noteEnd(endpointId)
    },
    close: () => backlogs.close(),
  }
}

/** Takes more of the backlogs of endpoints whose attempts ended. */
function createBacklogs({ log }: RelayServices, take: Take) {
  let backlogged = new Set<string>()
  let ended = new Set<string>()
  let gathering: NodeJS.Timeout | undefined
  let closed = false
  let following: Promise<void> | undefined

  async function follow(): Promise<void> {
    const endpointIds = [...ended]
    ended = new Set()
    try {
      const { batch } = await take(undefined, endpointIds)
      for (const id of endpointIds) if (!batch.backlogged.has(id)) backlogged.delete(id)
    } catch (error) {
      log.debug({ err: error }, 'a backlog is left for the next sweep')
    }
  }

  function schedule(): void {
    if (closed) return
    gathering ??= setTimeout(() => {
      gathering = undefined
      following ??= follow().finally(() => {
        following = undefined
        if (ended.size > 0) schedule()
      })
    }, coalesceMs)
  }

  return {
    learn(endpointIds: ReadonlySet<string>): void {
      backlogged = new Set(endpointIds)
    },
    noteEnd(endpointId: string): void {
      if (!backlogged.has(endpointId)) return
      ended.add(endpointId)
      if (!following) schedule()
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(gathering)
      await following
    },
  }
}

/** What was taken, and how much could have been taken. */
interface Taken {
  readonly batch: DueBatch
  readonly free: DueLimits['max']
}

type Take = (
  wakeupsFrom: DueLimits['wakeupsFrom'],
  endpointIds?: readonly string[],
) => Promise<Taken>

/** Takes due attempts and adds their jobs: of the given endpoints, or of those whose wake-up time has come. */
function createTake(services: RelayServices, onState: (state: QueueState) => void): Take {
  const { attempts, database, metrics, tenantShares } = services
  /** The number of jobs that were added before they are due. Counts of waiting jobs do not include them. */
  const ahead = { normal: 0, slow: 0 }
  const noteAhead = ({ lane, delayMs }: DueAttempt): void => {
    ahead[lane] += 1
    setTimeout(() => (ahead[lane] -= 1), delayMs).unref()
  }

  return async (wakeupsFrom, endpointIds) => {
    const state = await attempts.readState()
    for (const lane of lanes) metrics.waiting.set({ lane }, state.waiting[lane])
    onState(state)
    const free = freeSlots(services, (lane) => state.waiting[lane] + ahead[lane])
    const limits = {
      ...limitsOf(services, free),
      exceptTenantIds: tenantShares.tenantsWithoutShare(),
      wakeupsFrom,
    }
    const batch = await takeDueAttempts(database, limits, endpointIds)
    for (const attempt of await addJobs(services, batch.attempts)) {
      if (attempt.delayMs > 0) noteAhead(attempt)
      metrics.relayLagSeconds.observe(Math.max(0, -attempt.delayMs) / 1_000)
    }
    return { batch, free }
  }
}

/**
 * Enough to keep this worker busy until the next sweep, and few enough that a new event does not
 * wait for them.
 */
const freeSlots = (
  { config: { workerConcurrency } }: RelayServices,
  waiting: (lane: Lane) => number,
): DueLimits['max'] => ({
  normal: Math.max(0, 2 * workerConcurrency - waiting('normal')),
  slow: Math.max(0, workerConcurrency - waiting('slow')),
})

/** The limits that keep an endpoint and a lane within their slots. */
const limitsOf = (
  { config: { endpointConcurrency, jobHoldMs } }: RelayServices,
  max: DueLimits['max'],
): DueLimits => ({
  horizonMs: relayHorizonMs,
  holdMs: jobHoldMs,
  perEndpoint: endpointSlotsOf(endpointConcurrency),
  max,
})

/** A sweep reads only some of the endpoints, so the gauge keeps the greatest age for a while. */
function createAgeGauge(set: (ms: number) => void): (ageMs: number) => void {
  let [greatestMs, setAt] = [0, -Infinity]
  return (ageMs) => {
    const now = performance.now()
    if (ageMs < greatestMs && now - setAt < backlogAgeMs) return
    ;[greatestMs, setAt] = [ageMs, now]
    set(ageMs)
  }
}

/**
 * Adds the jobs. Postpones the attempts that Redis did not take, so that the next sweep takes them again.
 *
 * @returns the attempts whose jobs were added.
 */
async function addJobs(
  { attempts, database, log }: RelayServices,
  due: readonly DueAttempt[],
): Promise<readonly DueAttempt[]> {
  if (due.length === 0) return due
  failPoint('relay.taken')
  const notAdded = await attempts.add(due)
  failPoint('relay.jobs-added')
  if (!notAdded) return due
  log.warn({ err: notAdded.reason, jobs: notAdded.attempts.length }, 'Redis did not accept jobs')
  await postponeAttempts(
    database,
    notAdded.attempts.map((attempt) => ({ attempt, forMs: 0 })),
  )
  const refused = new Set(notAdded.attempts)
  return due.filter((attempt) => !refused.has(attempt))
}
