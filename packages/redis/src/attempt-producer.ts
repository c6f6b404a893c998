import { lanes, type Lane } from '@hosting/core'
import { Queue } from 'bullmq'
import {
  connectProducer,
  disconnect,
  type RedisConnection,
  type RedisPlace,
} from './connections.ts'
import {
  attemptJobName,
  attemptJobOptions,
  backlogKey,
  queueNames,
  queuePrefix,
  type AttemptJob,
} from './delivery-queue.ts'

/** An attempt that is to get a job. */
export interface NewAttemptJob extends AttemptJob {
  readonly lane: Lane
  /** Until it may be taken, in ms. */
  readonly delayMs: number
}

/** How much waits to be sent. */
export interface QueueState {
  /** Jobs that wait to be taken, by lane. */
  readonly waiting: Readonly<Record<Lane, number>>
  /** Endpoints that have as much in hand as they may. `undefined`: too many to name. */
  readonly backlogged: ReadonlySet<string> | undefined
}

/** Adds jobs for attempts. PostgreSQL knows every attempt, so a job that could not be added is not lost. */
export interface AttemptProducer {
  /**
   * Adds a job per attempt; one that Redis has already is left as it is.
   *
   * @throws Error at once while Redis is away; then some of the jobs may have been added.
   */
  add(attempts: readonly NewAttemptJob[]): Promise<void>
  /** @throws Error while Redis is away. */
  readState(): Promise<QueueState>
  /** Tells every producer which endpoints have a backlog; it lapses after two seconds. */
  shareBacklogged(endpointIds: ReadonlySet<string>): Promise<void>
  isReady(): boolean
  close(): Promise<void>
}

const commandTimeoutMs = 1_000
const backlogLapsesMs = 2_000
/** More than this are not named one by one. */
const backloggedMax = 1_000

/**
 * Opens the producer side of the queues. It may be opened while Redis is away.
 *
 * @param onError - told of connection errors; they are not thrown.
 */
export function openAttemptProducer(
  place: RedisPlace,
  onError: (error: Error) => void,
): AttemptProducer {
  const connection = connectProducer(place, { commandTimeout: commandTimeoutMs })
  let queues: Queues | undefined

  connection.on('error', onError)
  // BullMQ wants Redis to be there when a queue is opened.
  connection.on('ready', () => (queues ??= openQueues(connection, onError)))

  const ready = (): Queues => {
    if (!queues || connection.status !== 'ready') throw new Error('Redis is not connected.')
    return queues
  }

  return {
    isReady: () => queues !== undefined && connection.status === 'ready',
    async add(attempts) {
      const open = ready()
      await Promise.all(
        lanes.map(async (lane) => {
          const jobs = attempts.filter((attempt) => attempt.lane === lane).map(toJob)
          if (jobs.length > 0) await open[lane].addBulk(jobs)
        }),
      )
    },
    async readState() {
      const open = ready()
      const [normal, slow, named] = await Promise.all([
        countWaiting(open.normal),
        countWaiting(open.slow),
        connection.get(backlogKey),
      ])
      return {
        waiting: { normal, slow },
        backlogged: named === tooMany ? undefined : new Set(named ? named.split(',') : []),
      }
    },
    async shareBacklogged(endpointIds) {
      ready()
      const named = endpointIds.size > backloggedMax ? tooMany : [...endpointIds].join(',')
      await connection.set(backlogKey, named, 'PX', backlogLapsesMs)
    },
    async close() {
      for (const lane of lanes) await queues?.[lane].close()
      disconnect(connection)
    },
  }
}

const tooMany = '*'

type Queues = Readonly<Record<Lane, Queue<AttemptJob>>>

const openQueues = (connection: RedisConnection, onError: (error: Error) => void): Queues => {
  const open = (lane: Lane): Queue<AttemptJob> => {
    const queue = new Queue<AttemptJob>(queueNames[lane], {
      connection,
      prefix: queuePrefix,
      streams: { events: { maxLen: 100 } },
    })
    queue.on('error', onError)
    return queue
  }
  return { normal: open('normal'), slow: open('slow') }
}

const toJob = ({ deliveryId, endpointId, number, delayMs }: NewAttemptJob) => {
  const data = { deliveryId, endpointId, number }
  return { name: attemptJobName, data, opts: attemptJobOptions(data, delayMs) }
}

async function countWaiting(queue: Queue): Promise<number> {
  const { wait = 0, prioritized = 0 } = await queue.getJobCounts('wait', 'prioritized')
  return wait + prioritized
}
