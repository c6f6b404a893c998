import type { PoolClient } from 'pg'
import type { Database } from './database.ts'

/**
 * Runs statements in a transaction of a pool's connection, without Prisma. Commits their changes, or rolls
 * them back if the work throws.
 */
export async function runTransaction<Result>(
  { pool }: Pick<Database, 'pool'>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } finally {
    // If the transaction is still open, the pool closes the connection, which rolls it back.
    client.release()
  }
}
