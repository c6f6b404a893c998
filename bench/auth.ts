import { openDatabase, type Database } from '@hosting/postgres'
import { Redis } from 'ioredis'
import { median, round2 } from './figures.ts'
import { cpuSecondsOf, startNode, type BenchProcess } from './processes.ts'
import { putLoad, type Load } from './load.ts'
import { makeOwner } from './owner.ts'
import { useBenchServers } from './servers.ts'

/** A key may make 600 requests in a minute, so a load that is to pass takes many of them. */
const keys = 2_000
const rounds = 5
const secondsPerRound = 4
const path = '/api/v1/tenant/edition'

/**
 * The same JSON route on bare Express 5 and, with a warm key, through the whole gate: one process each, in
 * turns. Round trips to Redis and transactions of PostgreSQL are counted by the servers themselves.
 */
export async function auth(): Promise<Record<string, unknown>> {
  const servers = await useBenchServers()
  const database = openDatabase(servers.databaseUrl, { onError: () => undefined })
  const api = await startNode('apps/api/dist/main.js', servers.environment)
  const { tokens } = await makeOwner(database, servers.serverSecret, { keys })
  const body = await (await fetch(api.url + path, { headers: bearer(tokens[0]!) })).text()
  const bare = await startNode('bench/bare-express.ts', { BARE_PATH: path, BARE_BODY: body })
  const withKeys = tokens.map((token) => ({ path, headers: bearer(token) }))

  // Warms every key, both processes, and the compiler.
  await putLoad(api.url, withKeys, { amount: keys })
  await putLoad(bare.url, [{ path }], { seconds: 2 })

  const taken: { bare: Round[]; gate: Round[] } = { bare: [], gate: [] }
  for (let round = 0; round < rounds; round++) {
    taken.bare.push(
      await measure(bare, () => putLoad(bare.url, [{ path }], { seconds: secondsPerRound })),
    )
    taken.gate.push(
      await measure(api, () => putLoad(api.url, withKeys, { seconds: secondsPerRound })),
    )
  }
  const counted = await countWarmWork(database, servers.redisUrl, () =>
    putLoad(api.url, withKeys, { amount: keys }),
  )

  await Promise.all([api.stop(), bare.stop()])
  await database.close()
  await servers.stop()
  const [bareFigures, gateFigures] = [summarize(taken.bare), summarize(taken.gate)]
  return {
    bare_express: bareFigures,
    warm_key: gateFigures,
    ratio: round2(
      median(
        taken.gate.map(({ load }, index) => load.perSecond / taken.bare[index]!.load.perSecond),
      ),
    ),
    ...counted,
  }
}

interface Round {
  readonly load: Load
  readonly cpuSeconds: number
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

async function measure(process: BenchProcess, put: () => Promise<Load>): Promise<Round> {
  const before = cpuSecondsOf(process.pid)
  const load = await put()
  return { load, cpuSeconds: cpuSecondsOf(process.pid) - before }
}

const summarize = (taken: readonly Round[]) => ({
  requests_per_second: Math.round(median(taken.map(({ load }) => load.perSecond))),
  p50_ms: median(taken.map(({ load }) => load.p50Ms)),
  p99_ms: median(taken.map(({ load }) => load.p99Ms)),
  cpu_us_per_request: Math.round(
    median(taken.map(({ load, cpuSeconds }) => (cpuSeconds * 1e6) / load.requests)),
  ),
  not_200: taken.reduce((sum, { load }) => sum + load.not200, 0),
})

/**
 * What a load of warm requests costs in Redis calls and SQL transactions, by the servers' own counts. The
 * process flushes the use of keys every two seconds, in a transaction of its own whatever the load; so the
 * count is given per request, and is far below one.
 */
async function countWarmWork(
  database: Database,
  redisUrl: string,
  put: () => Promise<Load>,
): Promise<Record<string, number>> {
  const redis = new Redis(redisUrl)
  const before = [await scriptCalls(redis), await transactions(database)] as const
  const { requests } = await put()
  const calls = (await scriptCalls(redis)) - before[0]
  const sql = (await transactions(database)) - before[1]
  redis.disconnect()
  return {
    redis_round_trips_per_request: round2(calls / requests),
    sql_transactions_per_request: round2(sql / requests),
    sql_transactions: sql,
    requests_counted: requests,
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
