import type { Queue } from 'bullmq'
import { connectProducer, disconnect, type RedisPlace } from './connections.ts'
import { openQueuesWhenReady } from './delivery-queues.ts'

/** Looks at the queues for people, and changes nothing. */
export interface QueueReader {
  /** One per lane and shard. There are none until Redis has been there once. */
  readonly queues: readonly Queue[]
  close(): Promise<void>
}

const commandTimeoutMs = 1_000

/**
 * Opens the queues for looking. It may be opened while Redis is away; then, and whenever Redis goes, what is
 * asked of a queue fails at once.
 *
 * @param options - `onError`: told of connection errors; they are not thrown.
 */
export function openQueueReader(
  place: RedisPlace,
  { onError }: { onError: (error: Error) => void },
): QueueReader {
  const connection = connectProducer(place, { commandTimeout: commandTimeoutMs })
  let queues: readonly Queue[] = []

  connection.on('error', onError)
  openQueuesWhenReady(
    connection,
    { shards: place.shards, readOnly: true, onError },
    ({ all }) => (queues = all),
  )

  return {
    get queues() {
      return queues
    },
    async close() {
      for (const queue of queues) await queue.close()
      disconnect(connection)
    },
  }
}
