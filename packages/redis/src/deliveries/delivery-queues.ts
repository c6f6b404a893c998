import { currentTimeMs, processClock } from '@hosting/core/clock'
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

/** The options with which BullMQ deletes a job when it ends. */
const deletedAtEnd = { attempts: 1, removeOnComplete: true, removeOnFail: true }

/** The options of a job that BullMQ adds. */
export const attemptJobOptions = (jobId: string, delayMs: number): JobsOptions => ({
  jobId,
  delay: Math.max(0, Math.round(delayMs)),
  ...deletedAtEnd,
})

/** A job to add: its id, and its data as JSON. */
export interface NewJob {
  readonly id: string
  readonly data: string
}

/** What {@link takeJob} found. */
export interface TakenJob {
  readonly job: NewJob | undefined
  /** Whether other jobs wait. */
  readonly isMore: boolean
  /** When the next delayed job is due, in ms since 1970. 0: there is none. */
  readonly nextDueMs: number
}

/** The keys of a queue, in the format of BullMQ. */
export interface QueueKeys {
  /** The prefix of all keys, with a colon at its end. A job is the hash at prefix and id. */
  readonly prefix: string
  readonly wait: string
  readonly delayed: string
  /** A worker is woken when BullMQ's marker is added to this set. */
  readonly marker: string
}

/** The options of each job that {@link addJobs} stores. */
const storedOptions = JSON.stringify(deletedAtEnd)

/**
 * Stores jobs and wakes a worker. A job that exists is not added again.
 *
 * KEYS: wait, marker. ARGV: prefix, name, options, time, then id and data of each job.
 */
const addScript = `
local isAdded = false
for index = 5, #ARGV, 2 do
  local fields = redis.call('HSET', ARGV[1] .. ARGV[index], 'name', ARGV[2], 'opts', ARGV[3],
    'timestamp', ARGV[4], 'data', ARGV[index + 1])
  if fields > 0 then
    redis.call('LPUSH', KEYS[1], ARGV[index])
    isAdded = true
  end
end
if isAdded then redis.call('ZADD', KEYS[2], 0, '0') end
`

/**
 * Takes the job that has waited longest, and deletes it. Delayed jobs that are due join the waiting ones first. If other
 * jobs wait, another worker is woken.
 *
 * KEYS: wait, marker, delayed. ARGV: prefix, time. Returns id and data, or two empty texts, the number of waiting jobs,
 * and when the next delayed job is due. BullMQ multiplies this time by 4096, and adds a sequence number.
 */
const takeScript = `
local dueMax = (ARGV[2] + 1) * 4096 - 1
local nextDelayed = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
if nextDelayed[2] and tonumber(nextDelayed[2]) <= dueMax then
  local due = redis.call('ZRANGEBYSCORE', KEYS[3], 0, dueMax, 'LIMIT', 0, 1000)
  redis.call('LPUSH', KEYS[1], unpack(due))
  redis.call('ZREM', KEYS[3], unpack(due))
  nextDelayed = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
end
local nextDue = nextDelayed[2] and math.floor(tonumber(nextDelayed[2]) / 4096) or 0
local id = redis.call('RPOP', KEYS[1])
while id do
  local data = redis.call('HGET', ARGV[1] .. id, 'data')
  if data then
    redis.call('DEL', ARGV[1] .. id)
    local waiting = redis.call('LLEN', KEYS[1])
    if waiting > 0 then redis.call('ZADD', KEYS[2], 0, '0') end
    return {id, data, waiting, nextDue}
  end
  id = redis.call('RPOP', KEYS[1])
end
return {'', '', 0, nextDue}
`

interface Scripts {
  addJobs(...keysAndArguments: readonly string[]): Promise<null>
  takeJob(
    ...keysAndArguments: readonly string[]
  ): Promise<[id: string, data: string, waiting: number, nextDueMs: number]>
}

/** Registers the scripts with a connection. {@link addJobs} and {@link takeJob} need them. */
export function defineJobScripts(connection: RedisConnection): void {
  connection.defineCommand('addJobs', { numberOfKeys: 2, lua: addScript })
  connection.defineCommand('takeJob', { numberOfKeys: 3, lua: takeScript })
}

const scriptsOf = (connection: RedisConnection) => connection as unknown as Scripts

/** Adds jobs that are due now. */
export async function addJobs(
  connection: RedisConnection,
  { prefix, wait, marker }: QueueKeys,
  jobs: readonly NewJob[],
): Promise<void> {
  const pairs = jobs.flatMap(({ id, data }) => [id, data])
  const shared = [prefix, attemptJobName, storedOptions, String(currentTimeMs())]
  await scriptsOf(connection).addJobs(wait, marker, ...shared, ...pairs)
}

/** Takes a job from the queue, if there is one. It is deleted: if the caller loses it, the relay creates it again. */
export async function takeJob(
  connection: RedisConnection,
  { prefix, wait, marker, delayed }: QueueKeys,
): Promise<TakenJob> {
  const [id, data, waiting, nextDueMs] = await scriptsOf(connection).takeJob(
    wait,
    marker,
    delayed,
    prefix,
    // BullMQ adds delayed jobs by the clock of the machine.
    String(processClock.readWallMs()),
  )
  return { job: id === '' ? undefined : { id, data }, isMore: waiting > 0, nextDueMs }
}

/** The queues of all lanes and shards, for producers and readers. */
export interface Queues {
  readonly all: readonly Queue<AttemptJobData>[]
  readonly byLane: Readonly<Record<Lane, readonly Queue<AttemptJobData>[]>>
  of(lane: Lane, deliveryId: string): Queue<AttemptJobData>
}

/** The options of queues. */
interface QueueOptions {
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
