import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient, type Prisma } from './generated/client.ts'

/** The connections of one process to PostgreSQL, shared by Prisma and the hot raw statements. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: pg.Pool
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
 * @param options - `connectionsMax`: the size of the pool; `onError`: told of idle connections that broke.
 */
export function openDatabase(
  url: string,
  { connectionsMax = 10, onError }: { connectionsMax?: number; onError: (error: Error) => void },
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: 5_000,
    query_timeout: queryMsMax,
    // Prisma reads times wrongly in any other session time zone.
    options: '-c timezone=UTC',
  })
  pool.on('error', onError)
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    prisma,
    pool,
    async close() {
      await prisma.$disconnect()
      if (!pool.ended) await pool.end()
    },
  }
}

/**
 * Runs a hot statement, prepared under its name once per connection.
 *
 * @returns its rows.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  { pool }: Database,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name, text, values: [...values] })
  return rows
}

/** Whether the database answers at this moment. */
export const isReachable = ({ pool }: Database): Promise<boolean> =>
  pool.query('SELECT 1').then(
    () => true,
    () => false,
  )
