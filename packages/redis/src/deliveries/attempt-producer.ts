import {
  backloggedEndpointsMax,
  type AttemptIds,
  type DueAttempt,
  type Lane,
} from '@hosting/core/webhooks'
import type { Queue } from 'bullmq'
import {
  connectProducer,
  disconnect,
  type RedisConnection,
  type RedisTopology,
} from '../connections.ts'
import {
  addJobs,
  attemptJobId,
  attemptJobName,
  attemptJobOptions,
  attemptsOfJobId,
  attemptsPerJobMax,
  backlogKey,
  defineJobScripts,
  openQueuesWhenReady,
  type AttemptJobData,
  type NewJob,
  type QueueKeys,
  type Queues,
} from './delivery-queues.ts'
import { responds } from '../watchdog.ts'

/** The state of the queues. */
export interface QueueState {
  /** Attempts whose jobs wait to be taken, by lane. */
  readonly waiting: Readonly<Record<Lane, number>>
  /** The same by lane and shard. 0 for a shard that does not respond. */
  readonly waitingByShard: Readonly<Record<Lane, readonly number[]>>
  /** Endpoints with a backlog, whose slots are all in use. `undefined`: too many to list. */
  readonly backlogged: ReadonlySet<string> | undefined
}

/**
 * Attempts that Redis may not have taken: all while it is unavailable, or those of a shard while
 * its node is.
 */
export interface NotAdded {
  readonly attempts: readonly DueAttempt[]
  readonly reason: Error
}

/** Adds jobs for attempts. PostgreSQL stores every attempt, so a job that could not be added is not lost. */
export interface AttemptProducer {
  /**
   * Adds jobs for attempts. Attempts that are due now share jobs. Jobs that Redis already has do
   * not change.
   *
   * @returns the attempts that Redis may not have taken. `undefined`: it took all.
   */
  add(attempts: readonly DueAttempt[]): Promise<NotAdded | undefined>
  /**
   * Reads how much waits in the shards that respond.
   *
   * @throws Error if none responds.
   */
  readState(): Promise<QueueState>
  /** Tells every producer which endpoints have a backlog. The list expires after two seconds. */
  shareBacklogged(endpointIds: ReadonlySet<string>): Promise<void>
  isReady(): boolean
  /** Whether Redis responds within two seconds. */
  responds(): Promise<boolean>
  close(): Promise<void>
}

const backlogLapsesMs = 2_000

/**
 * Opens the producer side of the queues, even while Redis is unavailable.
 *
 * @param onError - called with connection errors, which are not thrown.
 * @param options - `timeoutMs`: the timeout of a command, in ms.
 */
export function openAttemptProducer(
  topology: RedisTopology,
  onError: (error: Error) => void,
  { timeoutMs = 1_000 }: { timeoutMs?: number } = {},
): AttemptProducer {
  const connection = connectProducer(topology, { commandTimeout: timeoutMs })
  let queues: Queues | undefined

  connection.on('error', onError)
  defineJobScripts(connection)
  openQueuesWhenReady(
    connection,
    { shards: topology.shards, onError },
    (opened) => (queues = opened),
  )

  const ready = (): Queues => {
    if (!queues || connection.status !== 'ready') throw notConnected()
    return queues
  }

  return {
    isReady: () => queues !== undefined && connection.status === 'ready',
    responds: async () => queues !== undefined && (await responds(connection)),
    async add(attempts) {
      if (!queues || connection.status !== 'ready') return { attempts, reason: notConnected() }
      const open = queues
      const groups = Map.groupBy(attempts, ({ lane, deliveryId }) => open.of(lane, deliveryId))
      const failed = await Promise.all(
        [...groups].map(([queue, group]) => addTo(connection, queue, group)),
      )
      return failed.reduce(merge, undefined)
    },
    async readState() {
      const open = ready()
      const [normal, slow, named] = await Promise.all([
        countWaiting(connection, open.byLane.normal),
        countWaiting(connection, open.byLane.slow),
        connection.get(backlogKey).catch(() => tooMany),
      ])
      return {
        waiting: { normal: sum(normal), slow: sum(slow) },
        waitingByShard: { normal, slow },
        backlogged: named === tooMany ? undefined : new Set(named ? named.split(',') : []),
      }
    },
    async shareBacklogged(endpointIds) {
      ready()
      const named = endpointIds.size > backloggedEndpointsMax ? tooMany : [...endpointIds].join(',')
      await connection.set(backlogKey, named, 'PX', backlogLapsesMs)
    },
    async close() {
      await Promise.all(queues?.all.map((queue) => queue.close()) ?? [])
      disconnect(connection)
    },
  }
}

const tooMany = '*'

const notConnected = (): Error => new Error('Redis is not connected.')

/** Adds jobs to a queue: those that are due with one short script, the others by BullMQ. */
async function addTo(
  connection: RedisConnection,
  queue: Queue<AttemptJobData>,
  attempts: readonly DueAttempt[],
): Promise<NotAdded | undefined> {
  const distinct = [...new Map(attempts.map((attempt) => [singleJobId(attempt), attempt])).values()]
  const [due, delayed] = [distinct.filter(isDue), distinct.filter(isDelayed)]
  try {
    await Promise.all([
      due.length > 0 && addJobs(connection, keysOf(queue), toJobs(due)),
      delayed.length > 0 && queue.addBulk(delayed.map(toDelayedJob)),
    ])
    return undefined
  } catch (error) {
    return { attempts, reason: error as Error }
  }
}

const keysOf = (queue: Queue): QueueKeys => ({
  prefix: queue.toKey(''),
  wait: queue.toKey('wait'),
  delayed: queue.toKey('delayed'),
  marker: queue.toKey('marker'),
})

const merge = (one: NotAdded | undefined, other: NotAdded | undefined): NotAdded | undefined =>
  one && other ? { ...one, attempts: [...one.attempts, ...other.attempts] } : (one ?? other)

const singleJobId = (attempt: DueAttempt): string => attemptJobId(attempt, attempt.hold)
const isDelayed = ({ delayMs }: DueAttempt): boolean => delayMs > 0
const isDue = (attempt: DueAttempt): boolean => !isDelayed(attempt)

/** Attempts that are due share jobs. */
const toJobs = (due: readonly DueAttempt[]): readonly NewJob[] =>
  Array.from({ length: Math.ceil(due.length / attemptsPerJobMax) }, (_, index) => {
    const share = due.slice(index * attemptsPerJobMax, (index + 1) * attemptsPerJobMax)
    const [first, ...others] = share.map(idsOf) as [AttemptIds, ...AttemptIds[]]
    const data: AttemptJobData = { ...first, ...(others.length > 0 && { others }) }
    return { id: attemptJobId(first, share[0]!.hold, others.length), data: JSON.stringify(data) }
  })

const toDelayedJob = (attempt: DueAttempt) => ({
  name: attemptJobName,
  data: idsOf(attempt),
  opts: attemptJobOptions(singleJobId(attempt), attempt.delayMs),
})

const idsOf = ({ deliveryId, endpointId, tenantId, number }: DueAttempt): AttemptIds => ({
  deliveryId,
  endpointId,
  tenantId,
  number,
})

/** How many jobs of a queue are read to count their attempts. Each further job counts as one. */
const jobsReadMax = 1_000

/** Counts the waiting attempts in each queue that responds. */
async function countWaiting(
  connection: RedisConnection,
  queues: readonly Queue[],
): Promise<number[]> {
  const counts = await Promise.allSettled(
    queues.map(async (queue) => {
      const key = queue.toKey('wait')
      const ids = await connection.lrange(key, 0, jobsReadMax - 1)
      const jobs = ids.length < jobsReadMax ? ids.length : await connection.llen(key)
      return sum(ids.map(attemptsOfJobId)) + jobs - ids.length
    }),
  )
  if (counts.every(({ status }) => status === 'rejected')) throw new Error('No queue responds.')
  return counts.map((count) => (count.status === 'fulfilled' ? count.value : 0))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
