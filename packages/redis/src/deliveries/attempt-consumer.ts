import { currentTimeMs } from '@hosting/core/clock'
import { createTurns, InProgress } from '@hosting/core/concurrency'
import { takeAttempt, type Lane, type TakenAttempt } from '@hosting/core/webhooks'
import { createRedisBackend, Worker, type BackendFactory, type RedisQueueBackend } from 'bullmq'
import { setTimeout } from 'node:timers/promises'
import {
  connectConsumer,
  disconnect,
  type RedisConnection,
  type RedisTopology,
} from '../connections.ts'
import {
  attemptJobName,
  defineJobScripts,
  queueName,
  queuePrefix,
  takeJob,
  type AttemptJobData,
  type TakenJob,
} from './delivery-queues.ts'
import { responds } from '../watchdog.ts'

/** Takes the jobs of a lane from all of its shards, and limits the attempts in progress. */
export interface AttemptConsumer {
  /** Whether jobs can be taken: Redis is connected and the consumer is running. */
  isLive(): boolean
  /** Whether Redis responds within two seconds. */
  responds(): Promise<boolean>
  /** Takes no more jobs, and waits for the attempts in progress. */
  close(): Promise<void>
}

/** The options of {@link consumeAttempts}. */
export interface ConsumerOptions {
  readonly lane: Lane
  /** The maximum of attempts in progress, divided among the shards. Each shard gets at least one. */
  readonly concurrency: number
  /** Called with errors of Redis and of attempts that threw. */
  readonly onError: (error: Error) => void
}

/** The pause after a failed fetch. */
const fetchAgainMs = 500
/**
 * How long to wait for BullMQ to close after the last attempt. After a failover of a cluster node,
 * its wait for the next job may never end.
 */
const endMsMax = 2_000

/**
 * Starts to take jobs. A job is deleted when it is taken, and the next job is taken as soon as there
 * is room for another attempt. A worker owns an attempt by its lease in PostgreSQL, not by its job.
 *
 * @param makeAttempt - makes one attempt of a shard. Resolves when its outcome is recorded.
 */
export function consumeAttempts(
  topology: RedisTopology,
  makeAttempt: (attempt: TakenAttempt, shard: number) => Promise<void>,
  { lane, concurrency, onError }: ConsumerOptions,
): AttemptConsumer {
  const connection = connectConsumer(topology)
  connection.on('error', onError)
  const backend = createTakingBackend(connection)
  const slots = Array.from({ length: topology.shards }, (_, shard) =>
    createSlots(shareOf(concurrency, { shard, shards: topology.shards })),
  )

  const take = ({ others = [], ...first }: AttemptJobData, shard: number): Promise<void> =>
    slots[shard]!.start(
      [first, ...others].map((ids) => () => makeAttempt(takeAttempt(ids), shard).catch(onError)),
    )

  const startWorker = (shard: number): Worker<AttemptJobData> => {
    const worker = new Worker<AttemptJobData>(
      queueName(lane, shard),
      ({ data }) => take(data, shard),
      {
        connection,
        prefix: queuePrefix,
        concurrency: 1,
        skipStalledCheck: true,
        skipLockRenewal: true,
        runRetryDelay: fetchAgainMs,
      },
      backend,
    )
      .on('error', onError)
      .on('failed', (_job, error) => onError(error))
    worker.waitUntilReady().catch(() => replace(worker, shard))
    return worker
  }

  /**
   * Replaces a worker. BullMQ queries the version of Redis once, and a worker for which that failed
   * never takes a job.
   */
  async function replace(worker: Worker<AttemptJobData>, shard: number): Promise<void> {
    await worker.close(true).catch(onError)
    await setTimeout(fetchAgainMs, undefined, { ref: false })
    if (!isClosing) workers[shard] = startWorker(shard)
  }

  let isClosing = false
  const workers = Array.from({ length: topology.shards }, (_, shard) => startWorker(shard))
  return {
    isLive: () =>
      connection.status === 'ready' &&
      workers.every((worker) => worker.isRunning() && !worker.closing),
    responds: () => responds(connection),
    async close() {
      isClosing = true
      // Without Redis, closing would never finish. Attempts in progress are recorded in PostgreSQL.
      const isAway = connection.status !== 'ready'
      const closing = Promise.all(workers.map((worker) => worker.close(isAway)))
      const emptied = () => Promise.all(slots.map((each) => each.emptied()))
      await emptied()
      await Promise.race([closing, setTimeout(endMsMax, undefined, { ref: false })])
      // The end of a job may have fetched the next one in the meantime.
      await emptied()
      disconnect(connection)
    },
  }
}

/**
 * The backend of a BullMQ worker that deletes a job when it takes it, with one short script. A lease in PostgreSQL
 * assigns an attempt to a worker, so nobody needs BullMQ's locks, active jobs and events. BullMQ still waits for jobs,
 * and replaces connections.
 */
function createTakingBackend(connection: RedisConnection): BackendFactory<RedisQueueBackend> {
  defineJobScripts(connection)
  return (name, options, context) => {
    const backend = createRedisBackend(name, options, context)
    const { wait, delayed, marker } = backend.keys
    const keys = { prefix: backend.toKey(''), wait: wait!, delayed: delayed!, marker: marker! }
    let last: TakenJob | undefined

    const take = async () => toBullMQ((last = await takeJob(connection, keys)))

    /** If no other job waited when the last one was taken, the worker waits for the next marker. */
    const fetchNext = async () =>
      last?.isMore ? await take() : toBullMQ({ ...last, job: undefined })

    const finish = async (
      ...args: Finished
    ): Promise<{ result: void | unknown[]; finishedOn: number }> => ({
      result: args[4] ? await fetchNext() : undefined,
      finishedOn: currentTimeMs(),
    })

    return Object.assign(backend, {
      moveToActive: take,
      moveToCompleted: finish,
      moveToFailed: finish,
    })
  }
}

/** What BullMQ tells about a job that has ended. The fifth value is whether it asks for the next job. */
type Finished =
  | Parameters<RedisQueueBackend['moveToCompleted']>
  | Parameters<RedisQueueBackend['moveToFailed']>

/** Job, id, limit of the rate, and the time of the next delayed job, as BullMQ expects them. */
const toBullMQ = ({ job, nextDueMs = 0 }: Partial<TakenJob>): unknown[] =>
  job
    ? [{ name: attemptJobName, data: job.data, opts: {} }, job.id, 0, 0]
    : [undefined, undefined, 0, nextDueMs]

/** Divides the whole into shares that differ by at most one. Each share is at least one. */
const shareOf = (whole: number, { shard, shards }: { shard: number; shards: number }): number =>
  Math.max(1, Math.floor((whole + shards - 1 - shard) / shards))

/** The slots of attempts in progress. */
interface Slots {
  /**
   * Starts each attempt as soon as a slot is free. None may reject.
   *
   * @returns when all have started and another slot is free.
   */
  start(attempts: readonly (() => Promise<void>)[]): Promise<void>
  /** Waits until all attempts have started and ended. */
  emptied(): Promise<void>
}

/** @param max - the number of slots. */
export function createSlots(max: number): Slots {
  const turns = createTurns({ perKey: max })
  const starting = new InProgress<Promise<void>>()
  const running = new InProgress<Promise<void>>()

  // Without limits on waiting, every turn comes.
  const takeSlot = async () => (await turns.take('slot'))!

  async function startEach(attempts: readonly (() => Promise<void>)[]): Promise<void> {
    for (const attempt of attempts) {
      const leave = await takeSlot()
      const ended = attempt().finally(() => {
        leave()
        forget()
      })
      const forget = running.add(ended)
    }
    const leave = await takeSlot()
    leave()
  }

  return {
    async start(attempts) {
      const started = startEach(attempts).finally(() => forget())
      const forget = starting.add(started)
      await started
    },
    async emptied() {
      await Promise.all(starting.items())
      await Promise.all(running.items())
    },
  }
}
