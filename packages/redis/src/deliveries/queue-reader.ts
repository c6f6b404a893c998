import type { Queue } from 'bullmq'
import { connectProducer, disconnect, type RedisTopology } from '../connections.ts'
import { openQueuesWhenReady } from './delivery-queues.ts'

/** Reads the queues for the operators' pages, and changes nothing. */
export interface QueueReader {
  /** One per lane and shard. Empty until the first connection to Redis. */
  readonly queues: readonly Queue[]
  close(): Promise<void>
}

const commandTimeoutMs = 1_000

/**
 * Opens the queues for reading, even while Redis is unavailable. While it is, commands of a queue
 * fail at once.
 *
 * @param options - `onError`: called with connection errors, which are not thrown.
 */
export function openQueueReader(
  topology: RedisTopology,
  { onError }: { onError: (error: Error) => void },
): QueueReader {
  const connection = connectProducer(topology, { commandTimeout: commandTimeoutMs })
  let queues: readonly Queue[] = []

  connection.on('error', onError)
  openQueuesWhenReady(
    connection,
    { shards: topology.shards, readOnly: true, onError },
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
