import type { Database } from '@hosting/postgres/database'
import { Redis } from 'ioredis'
import { single } from './figures.ts'
import { startFullPipeline, type FullPipeline } from './pipelines.ts'
import { memoryOf, startNode, wakeUpsOf } from './processes.ts'
import type { BenchmarkResult, SingleFigure, Table } from './results.ts'
import { keepUp, sustain } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const tenants = 10
const perSecond = 100
const seconds = 20
const restSeconds = 60
const settleSeconds = 5
const loneEvents = 300

/** Each event is published when the one before it was received, so nothing is shared. */
const oneByOne = { amount: loneEvents, aheadMax: 1, batchSize: 1, publishers: 1 }

/** What the servers and processes have counted so far, by name. */
type Counts = Readonly<Record<string, number>>

/** The work of a span, by what did it. */
interface Work {
  readonly redis: Counts
  readonly postgres: Counts
  readonly cpuUs: Counts
  readonly wakeUps: Counts
}

/**
 * What one API process and one worker ask of Redis and PostgreSQL, per delivery and at rest. These are
 * counts, which other load on the machine does not change, except for the CPU time.
 */
export async function quiet(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const redis = new Redis(servers.redisUrl)
  const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants })
  await pause(settleSeconds)
  const memory = memoryFigures(full)
  const pace = { perSecond, seconds }
  await keepUp(full, receiver, pace)
  const read = () => readWork(full, redis)
  const delivering = await workOf(read, () => keepUp(full, receiver, pace))
  const lone = await workOf(read, () => sustain(full, receiver, oneByOne))
  // What follows the deliveries is not part of the rest.
  await pause(settleSeconds)
  const resting = await workOf(read, () => pause(restSeconds))
  await Promise.all([full.stop(), receiver.stop()])
  redis.disconnect()
  await servers.stop()
  return {
    servers: servers.facts,
    settings: {
      tenants,
      per_second: perSecond,
      seconds,
      lone_events: loneEvents,
      rest_seconds: restSeconds,
    },
    figures: {
      memory_after_start: memory,
      at_100: toTable(delivering, perSecond * seconds),
      lone: toTable(lone, loneEvents),
      at_rest_per_second: toTable(resting, restSeconds),
    },
  }
}

/** The resident memory of each process. Both contain the pages of Node's own code, which the system holds once. */
const memoryFigures = ({ api, worker }: FullPipeline): Table => ({
  resident: { api: single('MiB', memoryOf(api.pid)), worker: single('MiB', memoryOf(worker.pid)) },
})

const pause = (forSeconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, forSeconds * 1_000))

async function workOf(read: () => Promise<Work>, run: () => Promise<unknown>): Promise<Work> {
  const before = await read()
  await run()
  const after = await read()
  return {
    redis: difference(before.redis, after.redis),
    postgres: difference(before.postgres, after.postgres),
    cpuUs: difference(before.cpuUs, after.cpuUs),
    wakeUps: difference(before.wakeUps, after.wakeUps),
  }
}

const difference = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  )

function toTable({ redis, postgres, cpuUs, wakeUps }: Work, by: number): Table {
  const total = Object.values(redis).reduce((sum, count) => sum + count, 0)
  const figures = (unit: 'count' | 'µs', counts: Counts): Record<string, SingleFigure> =>
    Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, single(unit, count / by)]),
    )
  return {
    redis_commands: figures('count', { total, ...redis }),
    postgres: figures('count', postgres),
    cpu: figures('µs', cpuUs),
    wake_ups: figures('count', wakeUps),
  }
}

async function readWork(full: FullPipeline, redis: Redis): Promise<Work> {
  const cpu = Object.entries(await full.cpu())
  return {
    redis: await readCommands(redis),
    postgres: await readDatabase(full.database),
    cpuUs: Object.fromEntries(cpu.map(([name, used]) => [name, used * 1e6])),
    wakeUps: { api: wakeUpsOf(full.api.pid), worker: wakeUpsOf(full.worker.pid) },
  }
}

/** Commands by name, those that scripts run included. `info` is this benchmark's own. */
async function readCommands(redis: Redis): Promise<Counts> {
  const lines = (await redis.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
  const counts = Object.fromEntries([...lines].map(([, name, calls]) => [name!, Number(calls)]))
  return { ...counts, info: 0 }
}

async function readDatabase({ pool }: Database): Promise<Counts> {
  const { rows } = await pool.query<{ transactions: number; wal: number }>(
    `SELECT xact_commit::float8 AS transactions,
            (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal
     FROM pg_stat_database WHERE datname = current_database()`,
  )
  const { transactions, wal } = rows[0]!
  return { transactions, wal_bytes: wal }
}
