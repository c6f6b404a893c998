import { openDatabase, type Database } from '@hosting/postgres/database'
import { Redis } from 'ioredis'
import { ratioOfRounds, single, ofRounds } from './figures.ts'
import { startGateAndBare, startOpenApi, type LoadTarget } from './gate.ts'
import type { Load, LoadExtent } from './load.ts'
import type { BenchmarkResult, SingleFigure, Figure } from './results.ts'
import { useBenchServers } from './servers.ts'
import { cpuSecondsOf, userSecondsOf } from './processes.ts'

/** A key may make 600 requests per minute, so a load without refusals uses many keys. */
const keys = 2_000
const rounds = 5
const secondsPerRound = 4

/**
 * The same JSON route on bare Express 5, on the API without credentials, and on the API with a cached key behind the
 * whole gate: one process each, in alternating rounds. The servers themselves count Redis round trips and PostgreSQL
 * transactions.
 */
export async function auth(): Promise<BenchmarkResult> {
  const servers = await useBenchServers()
  const database = openDatabase(servers.databaseUrl, { onError: () => undefined })
  const { gate, bare, bareEnvironment } = await startGateAndBare(servers, database, keys)
  const targets = { bare, open: await startOpenApi(servers, bareEnvironment), gate }

  const taken: Record<keyof typeof targets, RequestRound[]> = { bare: [], open: [], gate: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of ['bare', 'open', 'gate'] as const) {
      taken[name].push(await measure(targets[name], { seconds: secondsPerRound }))
    }
  }
  const counted = await countWarmWork(database, servers.redisUrl, () => gate.put({ amount: keys }))

  await Promise.all(Object.values(targets).map((target) => target.process.stop()))
  await database.close()
  await servers.stop()
  const ratioOf = (each: readonly RequestRound[]) =>
    ratioOfRounds(speedsOf(each), speedsOf(taken.bare))
  return {
    servers: servers.facts,
    settings: { keys, rounds, seconds_per_round: secondsPerRound },
    figures: {
      gate: {
        bare_express: summarizeRequests(taken.bare),
        no_credentials: { ...summarizeRequests(taken.open), ratio: ratioOf(taken.open) },
        warm_key: { ...summarizeRequests(taken.gate), ratio: ratioOf(taken.gate) },
      },
      work: { warm_key: counted },
    },
  }
}

/**
 * The Redis calls and SQL transactions of a load of warm requests, as counted by the servers. The process
 * flushes key usage every two seconds, in one transaction whatever the load, so the count per request is
 * far below one.
 */
async function countWarmWork(
  database: Database,
  redisUrl: string,
  put: () => Promise<Load>,
): Promise<Readonly<Record<string, SingleFigure>>> {
  const redis = new Redis(redisUrl)
  const before = [await scriptCalls(redis), await transactions(database)] as const
  const { requests } = await put()
  const calls = (await scriptCalls(redis)) - before[0]
  const sql = (await transactions(database)) - before[1]
  redis.disconnect()
  return {
    redis_round_trips: single('count', calls / requests),
    sql_transactions: single('count', sql / requests),
    sql_transactions_in_all: single('count', sql),
    requests_in_all: single('count', requests),
  }
}

async function scriptCalls(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats')
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, match) => sum + Number(match[1]),
    0,
  )
}

async function transactions({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(rows[0]!.count)
}

/** A load, and what it cost the process that responded. */
interface RequestRound {
  readonly load: Load
  readonly cpuSeconds: number
  /** The part of it outside the kernel. */
  readonly userSeconds: number
}

/** Runs one round of its load. */
async function measure({ process, put }: LoadTarget, extent: LoadExtent): Promise<RequestRound> {
  const before = [cpuSecondsOf(process.pid), userSecondsOf(process.pid)] as const
  const load = await put(extent)
  return {
    load,
    cpuSeconds: cpuSecondsOf(process.pid) - before[0],
    userSeconds: userSecondsOf(process.pid) - before[1],
  }
}

/** The figures of the rounds. */
const summarizeRequests = (taken: readonly RequestRound[]): Readonly<Record<string, Figure>> => ({
  requests: ofRounds('/s', speedsOf(taken)),
  p50: ofRounds(
    'ms',
    taken.map(({ load }) => load.p50Ms),
  ),
  p99: ofRounds(
    'ms',
    taken.map(({ load }) => load.p99Ms),
  ),
  cpu: ofRounds(
    'µs',
    taken.map(({ load, cpuSeconds }) => perRequest(load, cpuSeconds)),
  ),
  user_cpu: ofRounds(
    'µs',
    taken.map(({ load, userSeconds }) => perRequest(load, userSeconds)),
  ),
  not_200: single(
    'count',
    taken.reduce((sum, { load }) => sum + load.not200, 0),
  ),
})

/** The requests per second of each round. */
const speedsOf = (taken: readonly RequestRound[]): number[] =>
  taken.map(({ load }) => load.perSecond)

const perRequest = ({ requests }: Load, seconds: number): number => (seconds * 1e6) / requests
