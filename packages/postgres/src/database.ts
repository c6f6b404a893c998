import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { ConnectionPool } from './connection-pool.ts'
import { retryTransient } from './errors.ts'
import { PrismaClient, type Prisma } from './generated/client.ts'
import { defaultTimeouts, serverTimeouts, sessionOptionsOf, type Timeouts } from './timeouts.ts'

/** The connections of one process to PostgreSQL, shared by Prisma and the hot raw statements. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: ConnectionPool
  /** For {@link runPrepared}. `undefined`: behind a pooler nothing is prepared. */
  readonly hotPool: ConnectionPool | undefined
  /** Where a session of one's own is to be had, for {@link connectDirectly}. */
  readonly directUrl: string
  readonly timeouts: Timeouts
  close(): Promise<void>
}

/** Prisma inside a transaction. */
export type Transaction = Prisma.TransactionClient

/** What reads may run on: the client itself, or a transaction. */
export type Client = PrismaClient | Transaction

/** What {@link openDatabase} is told. */
export interface DatabaseOptions {
  /** The size of either pool. */
  readonly connectionsMax?: number
  /**
   * The same database without a pooler in between. If it is given, `url` leads to a pooler in transaction
   * mode: then no statement is prepared by name, and a connection brings no settings of its own.
   */
  readonly directUrl?: string | undefined
  /** Other timeouts than {@link defaultTimeouts}. */
  readonly timeouts?: Partial<Timeouts>
  /** Told of idle connections that broke. */
  readonly onError: (error: Error) => void
}

/**
 * Opens the database. Nothing is connected until the first statement.
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
      // A connection that breaks while it is in use fails its user's statement. Unhandled, the event would end the process.
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
 * Connects to the database itself, past a pooler: for what is bound to its session.
 *
 * @param statementMsMax - how long a statement may take.
 */
export async function connectDirectly(
  { directUrl, timeouts }: Database,
  statementMsMax: number,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: directUrl,
    connectionTimeoutMillis: timeouts.closeMs,
    ...keepAlive,
    // The limits that a pooled session has would cut off what retention waits for.
    options: sessionOptionsOf({
      ...utc,
      ...serverTimeouts({ statementMs: statementMsMax, lockMs: 0, idleInTransactionMs: 0 }),
    }),
    query_timeout: statementMsMax + 10_000,
  })
  // Whoever waits for a statement is told by it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Makes sure that times are read rightly. A pooler's connections bring no time zone of their own.
 *
 * @throws Error if the sessions of the database are in any other time zone than UTC.
 */
export async function checkTimeZone({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ zone: string; name: string }>(
    `SELECT current_setting('TimeZone') AS zone, current_database() AS name`,
  )
  const { zone, name } = rows[0]!
  if (zone === 'UTC' || zone === 'Etc/UTC') return
  throw new Error(
    `The sessions of database ${name} are in time zone ${zone}: ALTER DATABASE "${name}" SET timezone TO 'UTC'`,
  )
}

/** An idle connection whose server is unreachable breaks within half a minute. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

type SessionSettings = Readonly<Record<string, string | number>>

/** Prisma reads times wrongly in any other session time zone. */
const utc: SessionSettings = { timezone: 'UTC' }

/**
 * A prepared statement keeps its plan, and the tables of the queue are empty at one moment and long at the
 * next. So these plans go by the indexes whatever the tables look like, and are made once.
 */
const hotSettings: SessionSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}

/**
 * Runs a hot statement, prepared under its name once per connection, by the indexes alone. Behind a pooler
 * it is planned each time instead.
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
 * Runs a hot statement once in a while with many rows: planned for this run alone, with all that the planner
 * can do. The plans of {@link runPrepared} compare each row with each where parts of a statement meet.
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

/** Whether the database answers at this moment. */
export const isReachable = ({ pool }: Database): Promise<boolean> =>
  pool.query('SELECT 1').then(
    () => true,
    () => false,
  )

/**
 * A member of a hot statement's FROM: what the statement holds or releases need not be on the disk when it is
 * answered. If the server dies just then, a hold is forgotten, and what it held is taken once more.
 */
export const quickCommit =
  "(SELECT set_config('synchronous_commit', 'off', true) OFFSET 0) AS quick_commit"
