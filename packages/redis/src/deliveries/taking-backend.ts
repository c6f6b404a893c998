import { currentTimeMs } from '@hosting/core/clock'
import { createRedisBackend, type BackendFactory, type RedisQueueBackend } from 'bullmq'
import type { RedisConnection } from '../connections.ts'
import { attemptJobName } from './delivery-queues.ts'
import { defineJobScripts, takeJob, type TakenJob } from './job-scripts.ts'

/**
 * The backend of a BullMQ worker that deletes a job when it takes it, with one short script. A lease in PostgreSQL
 * assigns an attempt to a worker, so nobody needs BullMQ's locks, active jobs and events. BullMQ still waits for jobs,
 * and replaces connections.
 */
export function createTakingBackend(
  connection: RedisConnection,
): BackendFactory<RedisQueueBackend> {
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
