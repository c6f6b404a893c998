import pg from 'pg'
import { connectionConfigOf } from './connection-config.ts'
import { ConnectionPool } from './connection-pool.ts'
import { StrictPrismaPg } from './prisma-adapter.ts'
import { PrismaClient, type Prisma } from '../generated/client.ts'
import { explainConnectionError, sentSettings, type SessionSettings } from './session-settings.ts'
import { ServerLineage } from './server-lineage.ts'
import { watchClient, watchForSilence } from './silence.ts'
import { defaultTimeouts, serverTimeouts, type Timeouts } from './timeouts.ts'

/** The connections of one process to PostgreSQL. Prisma and the hot raw statements share them. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: ConnectionPool
  /** For prepared statements (statement.ts). `undefined` behind a pooler, where no statements are prepared. */
  readonly hotPool: ConnectionPool | undefined
  /** The URL for dedicated sessions, see {@link connectDirectly}. */
  readonly directUrl: string
  readonly timeouts: Timeouts
  /** How to connect outside of the pools, with the settings of their sessions. */
  readonly session: pg.ClientConfig
  /** Which servers the process has used. */
  readonly lineage: ServerLineage
  close(): Promise<void>
}

/** Prisma inside a transaction. */
export type Transaction = Prisma.TransactionClient

/** A client for reads: Prisma itself or a transaction. */
export type Client = PrismaClient | Transaction

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** The size of each pool. */
  readonly connectionsMax?: number
  /**
   * The URL of the same database without a pooler. If it is set, `url` leads to a pooler in transaction
   * mode: no statement is prepared by name, and connections have no settings of their own.
   */
  readonly directUrl?: string | undefined
  /** The search path of every session. Default: `public`. Has no effect with `directUrl`. */
  readonly searchPath?: string
  /**
   * Whether the sessions of the pools set `synchronous_commit` to `on`, because it is `off` by default. Behind a
   * pooler, the role's setting decides.
   */
  readonly setsSynchronousCommit?: boolean
  /** Timeouts that differ from {@link defaultTimeouts}. */
  readonly timeouts?: Partial<Timeouts>
  /** Called when an idle connection breaks. */
  readonly onError: (error: Error) => void
  /** The `application_name` of the sessions, unless the URL has one. */
  readonly applicationName?: string | undefined
}

/**
 * Opens the database. Connects only when the first statement runs.
 *
 * @param url - a `postgresql:` URL.
 * @throws Error if the URL has a part that is not supported, or names a file that cannot be read.
 */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const { connectionsMax = 10, directUrl, searchPath, applicationName, onError } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const { acquireMs, closeMs, lifetimeMs, transactionMs } = timeouts
  const configOf = (settings?: SessionSettings): pg.ClientConfig => ({
    ...connectionConfigOf(url, settings),
    query_timeout: timeouts.queryMs,
    fallback_application_name: applicationName,
    ...keepAlive,
  })
  const lineage = new ServerLineage(() => pools.forEach((each) => each.dropIdle()))
  const open = (settings?: SessionSettings): ConnectionPool =>
    new ConnectionPool({
      ...configOf(settings),
      max: connectionsMax,
      acquireMs,
      closeMs,
      maxLifetimeSeconds: lifetimeMs / 1_000,
      // A pooler does not tell which sessions the server still has, and limits their number itself.
      keepsEnding: directUrl === undefined,
      lineage: directUrl === undefined ? lineage : undefined,
    })
      .on('error', onError)
      .on('connect', ignoreErrors)
  const settings = {
    ...commonSettings,
    ...serverTimeouts(timeouts),
    ...(searchPath !== undefined && { search_path: searchPath }),
    ...(options.setsSynchronousCommit && { synchronous_commit: 'on' }),
  }
  const pool = directUrl === undefined ? open(settings) : open()
  const hotPool = directUrl === undefined ? open({ ...settings, ...hotSettings }) : undefined
  const session = configOf(hotPool && settings)
  const pools = hotPool ? [pool, hotPool] : [pool]
  const stopWatch = watchPools(pools, { session, timeouts, isPooled: hotPool === undefined })
  const prisma = new PrismaClient({
    adapter: new StrictPrismaPg(pool),
    transactionOptions: { timeout: transactionMs, maxWait: acquireMs },
  })
  return {
    prisma,
    pool,
    hotPool,
    directUrl: directUrl ?? url,
    timeouts,
    session,
    lineage,
    async close() {
      stopWatch()
      await prisma.$disconnect()
      await Promise.all(pools.map((each) => each.close()))
    },
  }
}

/** Abandons connections of the pools that the server or the network has forgotten, see {@link watchForSilence}. */
const watchPools = (
  pools: readonly ConnectionPool[],
  {
    session,
    timeouts: { closeMs, silentMs, statementMs },
    isPooled,
  }: Pick<Database, 'session' | 'timeouts'> & { isPooled: boolean },
): (() => void) =>
  watchForSilence({
    connections: () => pools.flatMap((each) => [...each.openConnections]),
    ask: () => pools.forEach((each) => each.ask()),
    onAbandon: () => pools.forEach((each) => each.dropIdle()),
    config: { ...session, connectionTimeoutMillis: closeMs },
    silentMs,
    pooledMs: isPooled ? statementMs && statementMs + 1_000 : undefined,
  })

/**
 * Connects to the database directly, bypassing a pooler, for features that are bound to a session.
 *
 * @param statementMsMax - the time limit of a statement.
 */
export async function connectDirectly(
  { directUrl, timeouts, lineage }: Database,
  statementMsMax: number,
): Promise<pg.Client> {
  const config: pg.ClientConfig = {
    // The limits of a pooled session would interrupt the long waits of retention.
    ...sessionConfigOf(directUrl, limitsOf(statementMsMax)),
    connectionTimeoutMillis: timeouts.closeMs,
    query_timeout: statementMsMax + 10_000,
  }
  const client = new pg.Client(config)
  watchClient(client, { config, silentMs: timeouts.silentMs })
  await connectOrExplain(client)
  await lineage.require(client).catch(async (error: unknown) => {
    await client.end()
    throw error
  })
  return client
}

/**
 * How to open a session of one's own, outside of the pools, with the settings that the code needs.
 *
 * @param url - leads to PostgreSQL itself.
 * @param others - more settings. Without limits among them, there are none but those of PGOPTIONS.
 */
export const sessionConfigOf = (url: string, others: SessionSettings = {}): pg.ClientConfig => ({
  ...connectionConfigOf(url, { ...commonSettings, ...others }, limitsOf(0)),
  ...keepAlive,
})

const limitsOf = (statementMs: number): SessionSettings =>
  serverTimeouts({ statementMs, lockMs: 0, idleInTransactionMs: 0 })

/**
 * Connects. Says what to do if a pooler refuses the settings of the session.
 *
 * @throws Error if the connection fails.
 */
export async function connectOrExplain(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (error) {
    throw explainConnectionError(error)
  }
}

/** Detects within half a minute that the server of an idle connection is unreachable. */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/**
 * The server ends a session within half a minute whose client is unreachable. Otherwise, it would keep the session, and
 * what the session has locked, for hours.
 */
const serverKeepAlive: SessionSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
}

const commonSettings: SessionSettings = { ...sentSettings, ...serverKeepAlive }

/**
 * A prepared statement keeps its plan, and the tables of the queue are empty at one moment and long at
 * the next. These settings make the plans use indexes for tables of any size, and the plans are
 * made only once.
 */
const hotSettings: SessionSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_memoize: 'off',
  jit: 'off',
}

/** Whether the database currently responds. */
export const isReachable = ({ pool }: Database): Promise<boolean> =>
  pool.query('SELECT 1').then(
    () => true,
    () => false,
  )

/**
 * An item for the FROM clause of a hot statement: the commit returns before the change is on disk. If the server crashes
 * within a second, the change may be lost. Only holds and the records of attempts use it: their deliveries are then
 * queued as before, and sent again.
 */
export const quickCommit =
  "(SELECT set_config('synchronous_commit', 'off', true) OFFSET 0) AS quick_commit"

/** If a connection breaks while it is in use, the statement fails. Without a handler, the event would end the process. */
const ignoreErrors = (client: pg.PoolClient): void => {
  client.on('error', () => undefined)
}
