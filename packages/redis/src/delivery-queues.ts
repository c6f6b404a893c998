import { lanes, type Lane } from '@hosting/core'
import { Queue, type JobsOptions } from 'bullmq'
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

/** What a job carries: ids alone, since Redis must hold no payload and no secret. */
export interface AttemptJob {
  readonly deliveryId: string
  readonly endpointId: string
  /** The attempt's number, from 1. */
  readonly number: number
}

/**
 * One job is one attempt: BullMQ ignores a job whose id it has, so that adding it again is harmless, and
 * keeps nothing of it when it ends, so that the id of a finished one is never mistaken for a waiting one.
 */
export const attemptJobOptions = (
  { deliveryId, number }: AttemptJob,
  delayMs: number,
): JobsOptions => ({
  jobId: `${deliveryId}-${number}`,
  delay: Math.max(0, Math.round(delayMs)),
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
})

/** The queues of all lanes and shards, as producers and readers see them. */
export interface Queues {
  readonly all: readonly Queue<AttemptJob>[]
  readonly byLane: Readonly<Record<Lane, readonly Queue<AttemptJob>[]>>
  of(lane: Lane, deliveryId: string): Queue<AttemptJob>
}

/**
 * Opens the queues on a connection, which must be there: BullMQ asks it for its version.
 *
 * @param options - `readOnly`: what a queue is like is left to those that add to it; `onError`: told of
 *   connection errors.
 */
export function openQueues(
  connection: RedisConnection,
  shards: number,
  { readOnly = false, onError }: { readOnly?: boolean; onError: (error: Error) => void },
): Queues {
  const openLane = (lane: Lane): Queue<AttemptJob>[] =>
    Array.from({ length: shards }, (_, shard) =>
      new Queue<AttemptJob>(queueName(lane, shard), {
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
