import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient, type Prisma } from './generated/client.ts'

/** The connections of one process to PostgreSQL, shared by Prisma and the hot raw statements. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: pg.Pool
  /** For {@link runPrepared}. */
  readonly hotPool: pg.Pool
  close(): Promise<void>
}

/** Prisma inside a transaction. */
export type Transaction = Prisma.TransactionClient

/** What reads may run on: the client itself, or a transaction. */
export type Client = PrismaClient | Transaction

/** A server that does not answer by then is taken for away, in ms. */
const queryMsMax = 15_000

/**
 * Opens the database. Nothing is connected until the first statement.
 *
 * @param url - a `postgresql:` URL.
 * @param options - `connectionsMax`: the size of either pool; `onError`: told of idle connections that broke.
 */
export function openDatabase(
  url: string,
  { connectionsMax = 10, onError }: { connectionsMax?: number; onError: (error: Error) => void },
): Database {
  const open = (options: string): pg.Pool =>
    new pg.Pool({
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: 5_000,
      query_timeout: queryMsMax,
      options,
    }).on('error', onError)
  const pool = open(sessionOptions)
  const hotPool = open(`${sessionOptions} ${hotOptions}`)
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    prisma,
    pool,
    hotPool,
    async close() {
      await prisma.$disconnect()
      for (const each of [pool, hotPool]) if (!each.ended) await each.end()
    },
  }
}

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
 * Runs a hot statement, prepared under its name once per connection, by the indexes alone.
 *
 * @returns its rows.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  { hotPool }: Database,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
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
