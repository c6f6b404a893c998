import { lanes, type Lane } from '@hosting/core'
import { Queue, type JobsOptions } from 'bullmq'
import { setTimeout } from 'node:timers/promises'
import type { RedisConnection } from './connections.ts'

/** The prefix of all keys of the queues. */
export const queuePrefix = 'hosting'

const baseNames: Readonly<Record<Lane, string>> = {
  normal: 'deliveries',
  slow: 'deliveries-slow',
}

/** The BullMQ queue of a lane's shard. The hash tag keeps its keys in one slot of a Redis Cluster. */
export const queueName = (lane: Lane, shard: number): string => `{${baseNames[lane]}-${shard}}`

/** The shard of a delivery's attempts. Ids end in random digits, so that they spread evenly. */
const shardOf = (deliveryId: string, shards: number): number =>
  Number.parseInt(deliveryId.slice(-4), 16) % shards

/** Where the workers say which endpoints have a backlog. */
export const backlogKey = `${queuePrefix}:{backlogged}`

/** The name of the one kind of job in the queues. */
export const attemptJobName = 'attempt'

/** One attempt, as jobs carry it: ids alone, since Redis must hold no payload and no secret. */
export interface AttemptJob {
  readonly deliveryId: string
  readonly endpointId: string
  /** Jobs of earlier releases lack it. */
  readonly tenantId?: string | undefined
  /** The attempt's number, from 1. */
  readonly number: number
}

/** What a job carries: one attempt or several. A worker of an earlier release makes the first alone. */
export interface AttemptJobData extends AttemptJob {
  readonly others?: readonly AttemptJob[]
}

/** The most attempts of a job. More would be a worker's own while other workers may be free. */
export const attemptsPerJobMax = 10

/** What an attempt's job is added with. */
export interface AttemptJobTerms {
  /** Until it may be taken, in ms. */
  readonly delayMs: number
  /** Names the hold that the relay took the delivery with; a first job has none. */
  readonly hold?: string | undefined
}

/**
 * The id of a job: its first attempt under one hold, and how many others it carries. BullMQ ignores a job whose id it
 * has, so that adding it again is harmless. When a hold is over and its job did not run, the next hold's job has
 * another id, so that a job that will never run, or far in the future, keeps no attempt from being made. The claim
 * in PostgreSQL lets only one of them make it.
 */
export const attemptJobId = (
  { deliveryId, number }: AttemptJob,
  hold: string | undefined,
  others = 0,
): string =>
  [deliveryId, number, ...(hold === undefined ? [] : [hold])].join('-') +
  (others > 0 ? `+${others}` : '')

/** How many attempts a job carries, by its id. */
export const attemptsOfJobId = (id: string): number => 1 + Number(id.split('+')[1] ?? 0)

/** BullMQ keeps nothing of a job when it ends. */
export const attemptJobOptions = (jobId: string, delayMs: number): JobsOptions => ({
  jobId,
  delay: Math.max(0, Math.round(delayMs)),
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
})

/** The queues of all lanes and shards, as producers and readers see them. */
export interface Queues {
  readonly all: readonly Queue<AttemptJobData>[]
  readonly byLane: Readonly<Record<Lane, readonly Queue<AttemptJobData>[]>>
  of(lane: Lane, deliveryId: string): Queue<AttemptJobData>
}

/** What queues are opened with. */
export interface QueueOptions {
  readonly shards: number
  /** What a queue is like is left to those that add to it. */
  readonly readOnly?: boolean
  /** Told of connection errors. */
  readonly onError: (error: Error) => void
}

/** How long to wait before the queues are opened again that could not be opened. */
const openAgainMs = 200

/**
 * Opens the queues once the connection is there, again and again until Redis has answered: BullMQ asks each queue's
 * connection for the version of Redis once, and a queue for which that failed never works.
 *
 * @param onOpen - told of the queues that work, once.
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

/** Opens the queues on a connection, which must be there. */
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
