import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { ConnectionPool } from './connection-pool.ts'
import { retryTransient } from './errors.ts'
import { PrismaClient, type Prisma } from '../generated/client.ts'
import { defaultTimeouts, serverTimeouts, sessionOptionsOf, type Timeouts } from './timeouts.ts'

/** The connections of one process to PostgreSQL. Prisma and the hot raw statements share them. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: ConnectionPool
  /** For {@link runPrepared}. `undefined` behind a pooler, where no statements are prepared. */
  readonly hotPool: ConnectionPool | undefined
  /** The URL for dedicated sessions, see {@link connectDirectly}. */
  readonly directUrl: string
  readonly timeouts: Timeouts
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
  /** Timeouts that differ from {@link defaultTimeouts}. */
  readonly timeouts?: Partial<Timeouts>
  /** Called when an idle connection breaks. */
  readonly onError: (error: Error) => void
}

/**
 * Opens the database. Connects only when the first statement runs.
 *
 * @param url - a `postgresql:` URL.
 */
export function openDatabase(
  url: string,
  { connectionsMax = 10, directUrl, timeouts: others, onError }: DatabaseOptions,
): Database {
  const timeouts = { ...defaultTimeouts, ...others }
  const { acquireMs, closeMs, queryMs, transactionMs } = timeouts
  const open = (settings?: SessionSettings): ConnectionPool =>
    new ConnectionPool({
      connectionString: url,
      max: connectionsMax,
      acquireMs,
      closeMs,
      query_timeout: queryMs,
      ...keepAlive,
      ...(settings && { options: sessionOptionsOf(settings) }),
    })
      .on('error', onError)
      // If a connection breaks while it is in use, the statement fails. Without a handler, the event
      // would end the process.
      .on('connect', (client) => client.on('error', () => undefined))
  const settings = { ...utc, ...serverTimeouts(timeouts) }
  const pool = directUrl === undefined ? open(settings) : open()
  const hotPool = directUrl === undefined ? open({ ...settings, ...hotSettings }) : undefined
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { timeout: transactionMs, maxWait: acquireMs },
  })
  return {
    prisma,
    pool,
    hotPool,
    directUrl: directUrl ?? url,
    timeouts,
    async close() {
      await prisma.$disconnect()
      await Promise.all([pool.close(), hotPool?.close()])
    },
  }
}

/**
 * Connects to the database directly, bypassing a pooler, for features that are bound to a session.
 *
 * @param statementMsMax - the time limit of a statement.
 */
export async function connectDirectly(
  { directUrl, timeouts }: Database,
  statementMsMax: number,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: directUrl,
    connectionTimeoutMillis: timeouts.closeMs,
    ...keepAlive,
    // The limits of a pooled session would interrupt the long waits of retention.
    options: sessionOptionsOf({
      ...utc,
      ...serverTimeouts({ statementMs: statementMsMax, lockMs: 0, idleInTransactionMs: 0 }),
    }),
    query_timeout: statementMsMax + 10_000,
  })
  // The caller that waits for a statement gets the error from it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Checks that times are read correctly. A pooler's connections set no time zone of their own.
 *
 * @throws Error if the database's sessions use a time zone other than UTC.
 */
export async function requireUtc({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ zone: string; name: string }>(
    `SELECT current_setting('TimeZone') AS zone, current_database() AS name`,
  )
  const { zone, name } = rows[0]!
  if (zone === 'UTC' || zone === 'Etc/UTC') return
  throw new Error(
    `The sessions of database ${name} are in time zone ${zone}: ALTER DATABASE "${name}" SET timezone TO 'UTC'`,
  )
}

/** Detects within half a minute that the server of an idle connection is unreachable. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

type SessionSettings = Readonly<Record<string, string | number>>

/** Prisma reads times incorrectly in any other session time zone. */
const utc: SessionSettings = { timezone: 'UTC' }

/**
 * A prepared statement keeps its plan, and the tables of the queue are empty at one moment and long at
 * the next. These settings make the plans use indexes whatever the size of the tables, and the plans are
 * made only once.
 */
const hotSettings: SessionSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}

/**
 * Runs a hot statement with a plan that uses only indexes, prepared under its name once per connection.
 * Behind a pooler, the statement is planned each time.
 *
 * @returns its rows.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  database: Database,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { hotPool } = database
  if (!hotPool) return await runPlanned(database, text, values)
  const query = { name, text, values: [...values] }
  const { rows } = await retryTransient(() => hotPool.query<Row>(query))
  return rows
}

/**
 * Runs a hot statement that occasionally has many rows. It is planned for this execution, without the
 * restrictions of {@link runPrepared}, whose plans join the parts of a statement by nested loops.
 *
 * @returns its rows.
 */
export async function runPlanned<Row extends pg.QueryResultRow>(
  { pool }: Database,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await retryTransient(() => pool.query<Row>(text, [...values]))
  return rows
}

/** Whether the database currently responds. */
export const isReachable = ({ pool }: Database): Promise<boolean> =>
  pool.query('SELECT 1').then(
    () => true,
    () => false,
  )

/**
 * An item for the FROM clause of a hot statement: the commit returns before the hold or release is on
 * disk. If the server crashes at that moment, the hold is lost, and the delivery is taken again.
 */
export const quickCommit =
  "(SELECT set_config('synchronous_commit', 'off', true) OFFSET 0) AS quick_commit"
