import { currentTime } from '@hosting/core/clock'
import { readOperations, type OverviewParts, type Part } from '@hosting/postgres/operators'
import type { Database } from '@hosting/postgres/database'
import type { CheckResult, Logger, Readiness } from '@hosting/process'
import type { AttemptProducer, QueueReader, QueueState } from '@hosting/redis'

/** The content of the operators' page. A part that could not be read contains its error. */
export interface OpsSnapshot extends OverviewParts {
  readonly at: Date
  /** The readiness checks of this process, as at `/readyz`. */
  readonly checks: Part<Readonly<Record<string, CheckResult>>>
  /** Of a worker. */
  readonly audit: AuditSnapshot | undefined
  /** Why the latest email of this worker failed. */
  readonly mailFailure: string | undefined
  /** The queues in Redis, by name. Only a worker reads them. */
  readonly queues: Part<readonly QueueCounts[]> | undefined
  readonly state: Part<QueueState>
}

/** The state of the audit log. */
export interface AuditSnapshot {
  /** Whether the database role of this worker may change it. */
  readonly mayRewrite: boolean
  /** The number of chains that this worker does not extend because they were changed. */
  readonly broken: number
}

/** Where the content comes from. */
export interface SnapshotSources {
  readonly log: Logger
  readonly database: Database
  readonly attempts: Pick<AttemptProducer, 'readState'>
  /** What only a worker knows. */
  readonly worker?: {
    readonly queueReader: QueueReader
    readonly audit: () => AuditSnapshot
    readonly mailFailure: () => string | undefined
  }
}

/** The numbers of jobs in a queue. */
export interface QueueCounts {
  readonly name: string
  readonly waiting: number
  readonly delayed: number
}

/** The timeout of a part, in ms. A part may run several statements of PostgreSQL in sequence. */
const partMsMax = 8_000

/**
 * Creates a function that reads the state of the service for operators. Concurrent calls share one
 * read, so they never use more than one connection of this process.
 */
export function createSnapshotReader(
  sources: SnapshotSources,
  readiness: Readiness,
): () => Promise<OpsSnapshot> {
  let reading: Promise<OpsSnapshot> | undefined
  return () =>
    (reading ??= takeSnapshot(sources, readiness).finally(() => {
      reading = undefined
    }))
}

async function takeSnapshot(
  { database, attempts, log, worker }: SnapshotSources,
  readiness: Readiness,
): Promise<OpsSnapshot> {
  const [overview, checks, queues, state] = await Promise.all([
    toPart(readOperations(database)),
    toPart(readiness()),
    worker && toPart(countJobs(worker.queueReader)),
    toPart(attempts.readState()),
  ])
  const partOf = <Name extends keyof OverviewParts>(name: Name): OverviewParts[Name] =>
    'value' in overview ? overview.value[name] : overview
  const parts = {
    blockers: partOf('blockers'),
    history: partOf('history'),
    processes: partOf('processes'),
    interruptions: partOf('interruptions'),
    backlog: partOf('backlog'),
    slowLane: partOf('slowLane'),
    failing: partOf('failing'),
    days: partOf('days'),
    recoveries: partOf('recoveries'),
    invalidations: partOf('invalidations'),
    unsealed: partOf('unsealed'),
    checks,
    queues,
    state,
  }
  for (const [part, read] of Object.entries(parts)) {
    if (read && 'error' in read)
      log.warn({ err: read.error, part }, 'the operations overview could not be read')
  }
  return {
    at: currentTime(),
    audit: worker?.audit(),
    mailFailure: worker?.mailFailure(),
    ...parts,
  }
}

async function countJobs({ queues }: QueueReader): Promise<QueueCounts[]> {
  if (queues.length === 0) throw new Error('Redis is not connected.')
  return await Promise.all(
    queues.map(async (queue) => {
      const { wait = 0, delayed = 0 } = await queue.getJobCounts('wait', 'delayed')
      return { name: queue.name, waiting: wait, delayed }
    }),
  )
}

/** Waits for a part until its timeout. */
async function toPart<T>(reading: Promise<T>): Promise<Part<T>> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error('The response did not arrive in time.')),
    partMsMax,
  )
  try {
    return { value: await Promise.race([reading, late.promise]) }
  } catch (error) {
    return { error }
  } finally {
    clearTimeout(timer)
  }
}
