import { lanes, type AttemptIds, type Lane } from '@hosting/core/webhooks'
import { Queue, type JobsOptions } from 'bullmq'
import { setTimeout } from 'node:timers/promises'
import type { RedisConnection } from '../connections.ts'

/** The prefix of all keys of the queues. */
export const queuePrefix = 'hosting'

const baseNames: Readonly<Record<Lane, string>> = {
  normal: 'deliveries',
  slow: 'deliveries-slow',
}

/** The name of the BullMQ queue of a shard. The hash tag keeps its keys in one slot of a Redis Cluster. */
export const queueName = (lane: Lane, shard: number): string => `{${baseNames[lane]}-${shard}}`

/** The shard of the attempts of a delivery. Ids end in random digits, so they spread evenly. */
const shardOf = (deliveryId: string, shards: number): number =>
  Number.parseInt(deliveryId.slice(-4), 16) % shards

/** The key under which the workers share which endpoints have a backlog. */
export const backlogKey = `${queuePrefix}:{backlogged}`

/** The name of all jobs in the queues. */
export const attemptJobName = 'attempt'

/**
 * The data of a job: one or several attempts. Processes of two releases share the queues during an upgrade, so a
 * release writes only what the release before can read (packages/redis/README.md#shared-jobs).
 */
export interface AttemptJobData extends AttemptIds {
  readonly others?: readonly AttemptIds[]
}

/**
 * The maximum of attempts per job. With more, one worker would hold attempts that other workers are
 * free to make.
 */
export const attemptsPerJobMax = 10

/**
 * The id of a job: its first attempt, its hold, and the number of other attempts. BullMQ ignores a
 * job whose id exists, so adding a job again does no harm. If a hold ends and its job did not run,
 * the job of the next hold has another id. So a job that never runs, or that is far in the future,
 * does not prevent an attempt. The claim in PostgreSQL ensures that only one of these jobs makes
 * the attempt.
 */
export const attemptJobId = (
  { deliveryId, number }: Pick<AttemptIds, 'deliveryId' | 'number'>,
  hold: string | undefined,
  others = 0,
): string =>
  [deliveryId, number, ...(hold === undefined ? [] : [hold])].join('-') +
  (others > 0 ? `+${others}` : '')

/** The number of attempts of a job, from its id. */
export const attemptsOfJobId = (id: string): number => 1 + Number(id.split('+')[1] ?? 0)

/** The options of a job. BullMQ deletes a job when it ends. */
export const attemptJobOptions = (jobId: string, delayMs: number): JobsOptions => ({
  jobId,
  delay: Math.max(0, Math.round(delayMs)),
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
})

/** The queues of all lanes and shards, for producers and readers. */
export interface Queues {
  readonly all: readonly Queue<AttemptJobData>[]
  readonly byLane: Readonly<Record<Lane, readonly Queue<AttemptJobData>[]>>
  of(lane: Lane, deliveryId: string): Queue<AttemptJobData>
}

/** The options of queues. */
export interface QueueOptions {
  readonly shards: number
  /** Whether to leave the metadata of the queues unchanged. */
  readonly readOnly?: boolean
  /** Called with connection errors. */
  readonly onError: (error: Error) => void
}

/** The pause before another try to open the queues. */
const openAgainMs = 200

/**
 * Opens the queues when the connection is ready, and retries until Redis has responded. BullMQ
 * queries the version of Redis once per queue, and a queue for which that failed never works.
 *
 * @param onOpen - called once, with working queues.
 */
export function openQueuesWhenReady(
  connection: RedisConnection,
  options: QueueOptions,
  onOpen: (queues: Queues) => void,
): void {
  const open = async (): Promise<void> => {
    const queues = openQueues(connection, options)
    try {
      await Promise.all(queues.all.map((queue) => queue.waitUntilReady()))
      onOpen(queues)
    } catch (error) {
      options.onError(error as Error)
      await Promise.allSettled(queues.all.map((queue) => queue.close()))
      await setTimeout(openAgainMs, undefined, { ref: false })
      if (connection.status === 'ready') await open()
      else connection.once('ready', () => void open())
    }
  }
  connection.once('ready', () => void open())
}

/** Opens the queues on a connection, which must be ready. */
function openQueues(
  connection: RedisConnection,
  { shards, readOnly = false, onError }: QueueOptions,
): Queues {
  const openLane = (lane: Lane): Queue<AttemptJobData>[] =>
    Array.from({ length: shards }, (_, shard) =>
      new Queue<AttemptJobData>(queueName(lane, shard), {
        connection,
        prefix: queuePrefix,
        streams: { events: { maxLen: 100 } },
        skipMetasUpdate: readOnly,
      }).on('error', onError),
    )
  const byLane = { normal: openLane('normal'), slow: openLane('slow') }
  return {
    all: lanes.flatMap((lane) => byLane[lane]),
    byLane,
    of: (lane, deliveryId) => byLane[lane][shardOf(deliveryId, shards)]!,
  }
}
