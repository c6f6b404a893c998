import { lanes } from '@hosting/core'
import {
  releaseHolds,
  takeDueAttempts,
  type DueAttempt,
  type DueLimits,
  type DueWork,
} from '@hosting/postgres'
import type { QueueState } from '@hosting/redis'
import type { Services } from '../services.ts'

type RelayServices = Pick<Services, 'config' | 'database' | 'attempts' | 'metrics' | 'log'>

/** Makes jobs of due attempts that have none: see {@link createRelay}. */
export interface Relay {
  /** Looks at every endpoint. */
  sweep(): Promise<void>
  /** Hears that an attempt ended: if its endpoint has a backlog, more of it follows soon. */
  noteEnd(endpointId: string): void
  /** Ends what is under way. */
  close(): Promise<void>
}

/** So much ahead of its due time an attempt gets its job, so that it starts on time. */
const horizonMs = 1_000
/** Ends of attempts gather so long before more of their endpoints' backlogs follows. */
const gatherMs = 20

/**
 * The relay makes jobs for due attempts that have none: retries, deliveries of an endpoint that was
 * enabled, those that a publish left to it, and whatever Redis lost or never got. Together with the jobs
 * that a publish adds, every accepted event is delivered at least once. It keeps the queues short and an
 * endpoint's share in them small: a backlog waits in PostgreSQL, where it stands before nobody.
 *
 * @param onState - told how much waits, whenever that was asked.
 */
export function createRelay(services: RelayServices, onState: (state: QueueState) => void): Relay {
  const { attempts, metrics, log } = services
  const take = (endpointIds?: readonly string[]): Promise<DueWork> =>
    makeJobs(services, onState, endpointIds)
  let backlogged = new Set<string>()
  let ended = new Set<string>()
  let gathering: NodeJS.Timeout | undefined
  let closed = false
  let following: Promise<void> | undefined

  async function follow(): Promise<void> {
    const endpointIds = [...ended]
    ended = new Set()
    try {
      const work = await take(endpointIds)
      for (const id of endpointIds) if (!work.backlogged.has(id)) backlogged.delete(id)
    } catch (error) {
      log.debug({ err: error }, 'a backlog is left to the next sweep')
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
    }, gatherMs)
  }

  return {
    async sweep() {
      if (!attempts.isReady()) return
      const work = await take()
      backlogged = new Set(work.backlogged)
      metrics.backlogSeconds.set(work.oldestDueMs / 1_000)
      metrics.backlogged.set(backlogged.size)
      await attempts.shareBacklogged(backlogged)
    },
    noteEnd(endpointId) {
      if (!backlogged.has(endpointId)) return
      ended.add(endpointId)
      if (!following) schedule()
    },
    async close() {
      closed = true
      clearTimeout(gathering)
      await following
    },
  }
}

/** Takes due attempts, of these endpoints or of all, and adds their jobs. */
async function makeJobs(
  services: RelayServices,
  onState: (state: QueueState) => void,
  endpointIds?: readonly string[],
): Promise<DueWork> {
  const { attempts, database, metrics } = services
  const state = await attempts.readState()
  const { waiting } = state
  for (const lane of lanes) metrics.waiting.set({ lane }, waiting[lane])
  onState(state)
  const work = await takeDueAttempts(database, limitsOf(services, waiting), endpointIds)
  await addJobs(services, work.attempts)
  for (const { delayMs } of work.attempts) {
    metrics.relayLagSeconds.observe(Math.max(0, -delayMs) / 1_000)
  }
  return work
}

/** What may be taken, so that an endpoint and a lane have no more in hand than they may. */
function limitsOf({ config }: RelayServices, waiting: QueueState['waiting']): DueLimits {
  const { endpointConcurrency, workerConcurrency, jobHoldMs } = config
  return {
    horizonMs,
    holdMs: jobHoldMs,
    perEndpoint: {
      normal: endpointConcurrency,
      slow: slowPlaces(endpointConcurrency),
    },
    // Enough to keep this worker busy while more is fetched, and not so much that a new event waits for it.
    max: {
      normal: Math.max(0, 2 * workerConcurrency - waiting.normal),
      slow: Math.max(0, workerConcurrency - waiting.slow),
    },
  }
}

/** How many attempts to an endpoint in the slow lane may be in hand, of those that may else. */
export const slowPlaces = (endpointConcurrency: number): number =>
  Math.ceil(endpointConcurrency / 5)

/** Adds the jobs. Attempts that Redis did not take are taken again by the next look. */
async function addJobs(
  { attempts, database, log }: RelayServices,
  due: readonly DueAttempt[],
): Promise<void> {
  if (due.length === 0) return
  const notAdded = await attempts.add(due)
  if (!notAdded) return
  log.warn({ err: notAdded.reason, jobs: notAdded.attempts.length }, 'Redis did not take jobs')
  await releaseHolds(
    database,
    notAdded.attempts.map(({ deliveryId }) => deliveryId),
  )
}
