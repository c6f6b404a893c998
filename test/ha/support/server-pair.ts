import { appendFile, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { stopLeftover, postgresLeftover } from '../../../tools/local-stack/leftover.ts'
import { placeData } from '../../../tools/local-stack/postgres-data.ts'
import { run } from '../../../tools/local-stack/process.ts'
import { findServerUser } from '../../../tools/local-stack/system-user.ts'
import { makePostgres, type KillableServer } from '../../faults/system/killable-server.ts'
import { reachesPostgres } from '../../support/pooler.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import { startHaproxy } from './haproxy.ts'

/** One of two servers. */
export interface PairServer extends KillableServer {
  /** Runs a statement in its database, and returns the first row. */
  ask<Row extends pg.QueryResultRow>(sql: string): Promise<Row>
  /** Makes it follow another server from its next start on. */
  follow(other: KillableServer): Promise<void>
}

/** A primary and a standby that receives its changes, and a proxy that leads to the primary. */
export interface ServerPair {
  /** Through the proxy. */
  readonly databaseUrl: string
  /** At the beginning. */
  readonly primary: PairServer
  readonly standby: PairServer
  /** What the standby receives passes through this proxy. */
  readonly stream: TcpProxy
  /** Waits until commits of a server wait for the other one. */
  synchronize(primary: PairServer): Promise<void>
  stop(): Promise<void>
}

/** A standby, and a primary, notice within seconds that the other one is silent. */
const settings = [
  "wal_receiver_timeout = '2s'",
  "wal_sender_timeout = '2s'",
  "wal_retrieve_retry_interval = '100ms'",
  "wal_keep_size = '512MB'",
]
const standbyName = 'other'

/**
 * Starts a pair of servers whose data are copies of a folder.
 *
 * @param directory - for its data; emptied.
 * @param template - the folder of a server that was stopped.
 * @param database - its migrated database.
 */
export async function startServerPair(
  directory: string,
  template: string,
  database: string,
): Promise<ServerPair> {
  const [first, second] = [join(directory, 'first'), join(directory, 'second')]
  const folders = await Promise.all([first, second].map((to) => copyServer(template, to)))
  const primary = await makePairServer(first, folders[0]!, database)
  const stream = await startTcpProxy(() => primary.url())
  await followAt(folders[1]!, stream.url)
  const standby = await makePairServer(second, folders[1]!, database)
  const servers = [primary, standby]
  const proxy = await startHaproxy(
    directory,
    servers.map((server) => ({
      port: Number(new URL(server.url()).port),
      isPrimary: async () => !(await isStandby(server)),
    })),
  )
  const url = new URL(primary.url(database))
  url.port = String(proxy.port)
  await until(
    () => reachesPostgres(url.href),
    (isThere) => isThere,
  )
  return {
    databaseUrl: url.href,
    primary,
    standby,
    stream,
    async synchronize(server) {
      await server.ask(`ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`)
      await server.ask('SELECT pg_reload_conf()')
      await until(
        () => server.ask<{ count: string }>(synchronousQuery),
        ({ count }) => count === '1',
      )
    },
    async stop() {
      await proxy.stop()
      await Promise.all(servers.map((server) => server.stop()))
      await stream.close()
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const synchronousQuery = `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'`

async function makePairServer(
  directory: string,
  data: string,
  database: string,
): Promise<PairServer> {
  const server = await makePostgres(directory)
  return {
    ...server,
    ask: async (sql) =>
      (await withClient(server.url(database), (client) => client.query(sql))).rows[0],
    follow: (other) => followAt(data, other.url()),
  }
}

/** Copies the data of a server that does not run. Returns the folder of the copy. */
async function copyServer(from: string, to: string): Promise<string> {
  await mkdir(to, { recursive: true })
  const name = (await readdir(from)).find((each) => /^postgres-\d+$/.test(each))!
  const data = await placeData(to, name, await findServerUser(to))
  // A run that was aborted may have left it.
  await stopLeftover(postgresLeftover(data))
  await rm(data, { recursive: true, force: true })
  await run('cp', ['-a', await realpath(join(from, name)), data])
  await appendFile(join(data, 'postgresql.auto.conf'), settings.map((each) => `${each}\n`).join(''))
  return data
}

/** Makes the server with this data a standby, from its next start on. */
async function followAt(data: string, url: string): Promise<void> {
  const { port, username, password } = new URL(url)
  const parts = { host: '127.0.0.1', port, user: username, password, application_name: standbyName }
  const info = Object.entries(parts).map((part) => part.join('='))
  const file = join(data, 'postgresql.auto.conf')
  const others = (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => !/^(primary_conninfo|synchronous_standby_names)/.test(line))
  await writeFile(file, [...others, `primary_conninfo = '${info.join(' ')}'`, ''].join('\n'))
  await run('cp', ['-a', '--attributes-only', join(data, 'PG_VERSION'), join(data, signalFile)])
}

const signalFile = 'standby.signal'

const isStandby = async (server: PairServer): Promise<boolean> =>
  (await server.ask<{ is: boolean }>('SELECT pg_is_in_recovery() AS is')).is

/** A server that hangs or was killed makes the statement fail. */
async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 20_000,
    query_timeout: 30_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
