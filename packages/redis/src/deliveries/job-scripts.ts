import { currentTimeMs, processClock } from '@hosting/core/clock'
import type { RedisConnection } from '../connections.ts'
import { attemptJobName } from './delivery-queues.ts'

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

/** The options of each stored job, with which a worker of BullMQ also deletes it. */
const storedOptions = JSON.stringify({ attempts: 1, removeOnComplete: true, removeOnFail: true })

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
