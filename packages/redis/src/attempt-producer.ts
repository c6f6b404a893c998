import { Queue } from 'bullmq'
import { connectProducer, disconnect, type RedisPlace } from './connections.ts'
import {
  attemptJobName,
  attemptJobOptions,
  deliveryQueueName,
  queuePrefix,
  type AttemptJob,
} from './delivery-queue.ts'

/** Adds jobs for attempts. PostgreSQL knows every attempt, so a job that could not be added is not lost. */
export interface AttemptProducer {
  /**
   * Adds a job per attempt; one that Redis has already is left as it is.
   *
   * @throws Error at once while Redis is away; then some of the jobs may have been added.
   */
  add(attempts: readonly (AttemptJob & { readonly delayMs: number })[]): Promise<void>
  /** How many jobs wait to be taken, now. @throws Error while Redis is away. */
  countWaiting(): Promise<number>
  /** How many jobs wait, as of a moment ago, without asking; `undefined` while Redis is away. */
  lastWaiting(): number | undefined
  isReady(): boolean
  close(): Promise<void>
}

const waitingSampleMs = 250
const commandTimeoutMs = 1_000

/**
 * Opens the producer side of the queue. It may be opened while Redis is away.
 *
 * @param onError - told of connection errors; they are not thrown.
 */
export function openAttemptProducer(
  place: RedisPlace,
  onError: (error: Error) => void,
): AttemptProducer {
  const connection = connectProducer(place, { commandTimeout: commandTimeoutMs })
  let queue: Queue<AttemptJob> | undefined
  let waiting: { count: number; sampledAt: number } | undefined

  connection.on('error', onError)
  connection.on('close', () => (waiting = undefined))
  // BullMQ wants Redis to be there when a queue is opened.
  connection.on('ready', () => {
    queue ??= openQueue(connection, onError)
    void sampleWaiting()
  })

  const ready = (): Queue<AttemptJob> => {
    if (!queue || connection.status !== 'ready') throw new Error('Redis is not connected.')
    return queue
  }

  async function countWaiting(): Promise<number> {
    const { wait = 0, prioritized = 0 } = await ready().getJobCounts('wait', 'prioritized')
    const count = wait + prioritized
    waiting = { count, sampledAt: Date.now() }
    return count
  }

  const sampleWaiting = (): Promise<unknown> => countWaiting().catch(() => (waiting = undefined))

  return {
    countWaiting,
    isReady: () => queue !== undefined && connection.status === 'ready',
    lastWaiting() {
      if (waiting && Date.now() - waiting.sampledAt > waitingSampleMs) {
        waiting = { ...waiting, sampledAt: Date.now() }
        void sampleWaiting()
      }
      return waiting?.count
    },
    async add(attempts) {
      await ready().addBulk(
        attempts.map(({ deliveryId, number, delayMs }) => ({
          name: attemptJobName,
          data: { deliveryId, number },
          opts: attemptJobOptions({ deliveryId, number }, delayMs),
        })),
      )
    },
    async close() {
      await queue?.close()
      disconnect(connection)
    },
  }
}

function openQueue(
  connection: ReturnType<typeof connectProducer>,
  onError: (error: Error) => void,
): Queue<AttemptJob> {
  const queue = new Queue<AttemptJob>(deliveryQueueName, {
    connection,
    prefix: queuePrefix,
    streams: { events: { maxLen: 100 } },
  })
  queue.on('error', onError)
  return queue
}
