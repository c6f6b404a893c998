import { Worker } from 'bullmq'
import { connectConsumer, disconnect, type RedisPlace } from './connections.ts'
import { deliveryQueueName, queuePrefix, type AttemptJob } from './delivery-queue.ts'

/** Takes the jobs of attempts, so many at a time. */
export interface AttemptConsumer {
  /** Whether jobs are being taken: Redis is connected and the consumer runs. */
  isLive(): boolean
  /** Takes no further job, and waits for those in hand. */
  close(): Promise<void>
}

/** Recovery after a killed worker is PostgreSQL's, so a job may stall any number of times. */
const stalledCountMax = 1_000

/**
 * Starts taking jobs.
 *
 * @param attempt - makes one attempt; it records what came of it before it resolves.
 * @param options - `concurrency`: jobs in hand at a time; `onError`: told of Redis' errors and of jobs that threw.
 */
export function consumeAttempts(
  place: RedisPlace,
  attempt: (job: AttemptJob) => Promise<void>,
  { concurrency, onError }: { concurrency: number; onError: (error: Error) => void },
): AttemptConsumer {
  const connection = connectConsumer(place)
  connection.on('error', onError)
  const worker = new Worker<AttemptJob>(deliveryQueueName, ({ data }) => attempt(data), {
    connection,
    prefix: queuePrefix,
    concurrency,
    maxStalledCount: stalledCountMax,
  })
  worker.on('error', onError)
  worker.on('failed', (_job, error) => onError(error))
  return {
    isLive: () => worker.isRunning() && !worker.closing && connection.status === 'ready',
    async close() {
      // Without Redis it would wait for it in vain; what is in hand is recorded in PostgreSQL.
      const isAway = connection.status !== 'ready'
      await worker.close(isAway)
      disconnect(connection)
    },
  }
}
