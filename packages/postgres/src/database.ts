import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient, type Prisma } from './generated/client.ts'

/** The connections of one process to PostgreSQL, shared by Prisma and the hot raw statements. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: pg.Pool
  /** For {@link runPrepared}. `undefined`: behind a pooler nothing is prepared. */
  readonly hotPool: pg.Pool | undefined
  /** Where a session of one's own is to be had, for {@link connectDirectly}. */
  readonly directUrl: string
  close(): Promise<void>
}

/** Prisma inside a transaction. */
export type Transaction = Prisma.TransactionClient

/** What reads may run on: the client itself, or a transaction. */
export type Client = PrismaClient | Transaction

/** A server that does not answer by then is taken for away, in ms. */
const queryMsMax = 15_000

/** What {@link openDatabase} is told. */
export interface DatabaseOptions {
  /** The size of either pool. */
  readonly connectionsMax?: number
  /**
   * The same database without a pooler in between. If it is given, `url` leads to a pooler in transaction
   * mode: then no statement is prepared by name, and a connection brings no settings of its own.
   */
  readonly directUrl?: string | undefined
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
  { connectionsMax = 10, directUrl, onError }: DatabaseOptions,
): Database {
  const open = (options?: string): pg.Pool =>
    new pg.Pool({
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: 5_000,
      query_timeout: queryMsMax,
      ...(options !== undefined && { options }),
    })
      .on('error', onError)
      // One that breaks in somebody's hands fails their statement too. Unheard, it would end the process.
      .on('connect', (client) => client.on('error', () => undefined))
  const pool = directUrl === undefined ? open(sessionOptions) : open()
  const hotPool = directUrl === undefined ? open(`${sessionOptions} ${hotOptions}`) : undefined
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions })
  return {
    prisma,
    pool,
    hotPool,
    directUrl: directUrl ?? url,
    async close() {
      await prisma.$disconnect()
      for (const each of [pool, hotPool]) if (each && !each.ended) await each.end()
    },
  }
}

/**
 * Connects to the database itself, past a pooler: for what is bound to its session.
 *
 * @param statementMsMax - how long a statement may take.
 */
export async function connectDirectly(
  { directUrl }: Database,
  statementMsMax: number,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: directUrl,
    options: `${sessionOptions} -c statement_timeout=${statementMsMax}`,
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

/** How long a transaction may take, and how long it may wait for its connection, in ms. */
const transactionOptions = { timeout: 10_000, maxWait: 5_000 }

/** Prisma reads times wrongly in any other session time zone. */
const sessionOptions = '-c timezone=UTC'

/**
 * A prepared statement keeps its plan, and the tables of the queue are empty at one moment and long at the
 * next. So these plans go by the indexes whatever the tables look like, and are made once.
 */
const hotOptions = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

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
  const { rows } = await hotPool.query<Row>({ name, text, values: [...values] })
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
  const { rows } = await pool.query<Row>(text, [...values])
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
