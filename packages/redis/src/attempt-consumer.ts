import type { Lane } from '@hosting/core'
import { Worker } from 'bullmq'
import { setTimeout } from 'node:timers/promises'
import { connectConsumer, disconnect, type RedisPlace } from './connections.ts'
import { queueName, queuePrefix, type AttemptJob, type AttemptJobData } from './delivery-queues.ts'
import { createPlaces } from './places.ts'

/** Takes the jobs of attempts of a lane from all of its shards, so many at a time. */
export interface AttemptConsumer {
  /** Whether jobs can be taken: Redis is connected and the consumer runs. */
  isLive(): boolean
  /** Takes no further job, and waits for those in hand. */
  close(): Promise<void>
}

/** What {@link consumeAttempts} is told. */
export interface ConsumerOptions {
  readonly lane: Lane
  /** Attempts in hand at a time, shared out to the shards; of each at least one. */
  readonly concurrency: number
  /** How long a job is a consumer's own after it last said so, in ms; then another may take it. */
  readonly lockMs: number
  /** Told of Redis' errors and of attempts that threw. */
  readonly onError: (error: Error) => void
}

/** Recovery after a killed worker is PostgreSQL's, so a job may stall any number of times. */
const stalledCountMax = 1_000
/** After Redis failed a fetch. */
const fetchAgainMs = 500
/**
 * BullMQ's own end is waited for only so long after the last attempt: after the fail-over of a cluster's node
 * its wait for the next job may never end.
 */
const endMsMax = 2_000

/**
 * Starts taking jobs. A job ends when its attempts have started, and while there is room for another attempt the next
 * job is taken: what makes an attempt ours is its lease in PostgreSQL, not its job.
 *
 * @param attempt - makes one attempt, of a shard's; it records what came of it before it resolves.
 */
export function consumeAttempts(
  place: RedisPlace,
  attempt: (job: AttemptJob, shard: number) => Promise<void>,
  { lane, concurrency, lockMs, onError }: ConsumerOptions,
): AttemptConsumer {
  const connection = connectConsumer(place)
  connection.on('error', onError)
  const places = Array.from({ length: place.shards }, (_, shard) =>
    createPlaces(shareOf(concurrency, { shard, shards: place.shards })),
  )

  const take = ({ others = [], ...first }: AttemptJobData, shard: number): Promise<void> =>
    places[shard]!.start([first, ...others].map((job) => () => attempt(job, shard).catch(onError)))

  const startWorker = (shard: number): Worker<AttemptJobData> => {
    const worker = new Worker<AttemptJobData>(
      queueName(lane, shard),
      ({ data }) => take(data, shard),
      {
        connection,
        prefix: queuePrefix,
        concurrency: 1,
        lockDuration: lockMs,
        stalledInterval: lockMs,
        maxStalledCount: stalledCountMax,
        runRetryDelay: fetchAgainMs,
      },
    )
      .on('error', onError)
      .on('failed', (_job, error) => onError(error))
    worker.waitUntilReady().catch(() => replace(worker, shard))
    return worker
  }

  /** BullMQ asks Redis for its version once; a worker for which that failed never takes a job. */
  async function replace(worker: Worker<AttemptJobData>, shard: number): Promise<void> {
    await worker.close(true).catch(onError)
    await setTimeout(fetchAgainMs, undefined, { ref: false })
    if (!isClosing) workers[shard] = startWorker(shard)
  }

  let isClosing = false
  const workers = Array.from({ length: place.shards }, (_, shard) => startWorker(shard))
  return {
    isLive: () =>
      connection.status === 'ready' &&
      workers.every((worker) => worker.isRunning() && !worker.closing),
    async close() {
      isClosing = true
      // Without Redis it would wait for it in vain; what is in hand is recorded in PostgreSQL.
      const isAway = connection.status !== 'ready'
      const closing = Promise.all(workers.map((worker) => worker.close(isAway)))
      const emptied = () => Promise.all(places.map((each) => each.emptied()))
      await emptied()
      await Promise.race([closing, setTimeout(endMsMax, undefined, { ref: false })])
      // The end of a job may have brought the next one meanwhile.
      await emptied()
      disconnect(connection)
    },
  }
}

/** The shares differ by one at most, and together are the whole; but each is one at least. */
const shareOf = (whole: number, { shard, shards }: { shard: number; shards: number }): number =>
  Math.max(1, Math.floor((whole + shards - 1 - shard) / shards))
