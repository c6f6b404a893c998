import { openDatabase, type Database } from '@hosting/postgres/database'
import pg from 'pg'
import { migrate } from '../tools/migrations.ts'
import { dropDay } from './drop-day.ts'
import { fillHistory, makeHistoryOwner } from './history-data.ts'
import { countFilledAttempts, fillWaiting, readBesideLoad } from './history-load.ts'
import { compareSearches } from './history-search.ts'
import { single } from './figures.ts'
import type { BenchOwner } from './owner.ts'
import { startNode } from './processes.ts'
import type { BenchmarkResult, SingleFigure } from './results.ts'
import { useBenchServers, type BenchServers } from './servers.ts'

/** `HISTORY_DELIVERIES=1000000 npm run bench -- history`: with another size. */
const sizes = { small: 10_000, large: Number(process.env['HISTORY_DELIVERIES'] ?? 10_000_000) }
const waiting = 1_000_000
/** A key may make 600 requests per minute. */
const keys = 40
const rounds = 12
const requestsPerRound = 25
/** So that ten thousand deliveries have a thousandth page. */
const deepLimit = 10
const deepPages = 1_000

/**
 * The delivery list and a single record over HTTP, one request at a time, of an organization with few deliveries
 * and of one with many: each with its own database and API process, in alternating rounds. Then, beside waiting
 * deliveries, searches and the event log, with what their statements read. Also the duration of removing a day of attempts,
 * and its effect on concurrent writes.
 */
export async function history(): Promise<BenchmarkResult> {
  const servers = await useBenchServers()
  const closing: (() => Promise<unknown>)[] = [() => servers.stop()]
  try {
    const small = await makeHistory(servers, sizes.small, closing)
    const large = await makeHistory(servers, sizes.large, closing)
    const reads: Record<string, Record<string, SingleFigure>> = {}
    for (const kind of Object.keys(small.paths)) reads[kind] = await compare(small, large, kind)
    return {
      servers: servers.facts,
      settings: {
        small_deliveries: sizes.small,
        large_deliveries: sizes.large,
        rounds,
        requests_per_round: requestsPerRound,
        waiting_deliveries: waiting,
      },
      figures: {
        reads,
        load: await load(large, servers),
        search: await compareSearches(small, large),
        drop: { day: await dropDay(large.database) },
      },
    }
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

/** A million deliveries wait, and one key makes all expensive reads at once. */
async function load({ database, url, owner }: History, { serverSecret }: BenchServers) {
  await fillWaiting(database, owner, waiting)
  await countFilledAttempts(database)
  return readBesideLoad(database, url, { owner, serverSecret })
}

async function compare(
  small: History,
  large: History,
  kind: string,
): Promise<Record<string, SingleFigure>> {
  const times = { small: [] as number[], large: [] as number[] }
  await askAll(small, kind)
  await askAll(large, kind)
  for (let round = 0; round < rounds; round++) {
    times.small.push(...(await askAll(small, kind)))
    times.large.push(...(await askAll(large, kind)))
  }
  return summarize(times)
}

/** An organization's history, with an API process. */
interface History {
  readonly database: Database
  /** Of the API process. */
  readonly url: string
  readonly owner: BenchOwner
  readonly ask: (path: string) => Promise<TimedResponse>
  /** The requested paths, by kind. */
  readonly paths: Readonly<Record<string, readonly string[]>>
}

interface TimedResponse {
  readonly ms: number
  readonly body: { items: { id: string; event_id: string }[]; next_cursor: string }
}

/** @param closing - receives the clean-up functions, which run last first. */
async function makeHistory(
  servers: BenchServers,
  deliveries: number,
  closing: (() => Promise<unknown>)[],
): Promise<History> {
  const { url, database } = await openAnother(servers, `history_${deliveries}`, closing)
  const api = await startNode('apps/api/dist/bundle/main.js', {
    ...servers.environment,
    DATABASE_URL: url,
  })
  closing.push(() => api.stop())
  const owner = await makeHistoryOwner(database, servers.serverSecret, keys)
  const { tenantId, tokens } = owner
  await fillHistory(database, tenantId, deliveries)

  let asked = 0
  const ask = async (path: string): Promise<TimedResponse> => {
    const authorization = `Bearer ${tokens[asked++ % keys]}`
    const before = performance.now()
    const response = await fetch(`${api.url}/api/v1${path}`, { headers: { authorization } })
    const body = (await response.json()) as TimedResponse['body']
    const ms = performance.now() - before
    if (!response.ok) throw new Error(`${path} gave ${response.status}`)
    return { ms, body }
  }
  return { database, url: api.url, owner, ask, paths: await choosePaths(database, ask) }
}

async function choosePaths({ pool }: Database, ask: History['ask']): Promise<History['paths']> {
  const list = '/webhook-deliveries'
  const deep = `${list}?limit=${deepLimit}`
  const cursors: string[] = []
  for (let page = 1, cursor = ''; page < deepPages; page++) {
    const { body } = await ask(cursor ? `${deep}&cursor=${cursor}` : deep)
    cursors.push((cursor = body.next_cursor))
  }
  // Some of each day, so that they are spread out.
  const { rows } = await pool.query<{ id: string; event_id: string }>(
    `SELECT id, event_id FROM deliveries TABLESAMPLE BERNOULLI (least(100, 200000 / (
       SELECT sum(greatest(reltuples, 0)) FROM pg_class WHERE relname LIKE 'deliveries_2%' AND relkind = 'r')))
     ORDER BY random() LIMIT $1`,
    [requestsPerRound],
  )
  return {
    first_page: [list],
    deep_page: cursors.slice(-10).map((cursor) => `${deep}&cursor=${cursor}`),
    single_record: rows.map(({ id }) => `${list}/${id}`),
    status_dead: [`${list}?status=dead`],
    rare_event_type: [`${list}?event_type=dns.zone_deleted`],
    event_id: rows.map(({ event_id }) => `${list}?event_id=${event_id}`),
  }
}

async function askAll({ ask, paths }: History, kind: string): Promise<number[]> {
  const times: number[] = []
  for (let request = 0; request < requestsPerRound; request++) {
    const { ms } = await ask(paths[kind]![request % paths[kind]!.length]!)
    times.push(ms)
  }
  return times
}

function summarize({ small, large }: { small: number[]; large: number[] }) {
  const percentile = (times: number[], share: number): number =>
    times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!
  return {
    p50_small: single('ms', percentile(small, 0.5)),
    p50_large: single('ms', percentile(large, 0.5)),
    p50_ratio: single('ratio', percentile(large, 0.5) / percentile(small, 0.5)),
    p95_small: single('ms', percentile(small, 0.95)),
    p95_large: single('ms', percentile(large, 0.95)),
    p95_ratio: single('ratio', percentile(large, 0.95) / percentile(small, 0.95)),
  }
}

/** Opens an additional migrated database on the same server. */
async function openAnother(
  { databaseUrl: beside }: BenchServers,
  suffix: string,
  closing: (() => Promise<unknown>)[],
) {
  const url = new URL(beside)
  const name = `${url.pathname.slice(1)}_${suffix}`
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: beside })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  await administer(`CREATE DATABASE ${name}`)
  url.pathname = `/${name}`
  await migrate(url.href)
  // Filling the tables exceeds the service's statement timeout.
  const timeouts = { queryMs: 1_200_000, statementMs: 1_200_000 }
  const database = openDatabase(url.href, { timeouts, onError: () => undefined })
  closing.push(
    () => administer(`DROP DATABASE ${name} WITH (FORCE)`),
    () => database.close(),
  )
  return { url: url.href, database }
}
