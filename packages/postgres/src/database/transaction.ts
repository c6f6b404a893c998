import type { ClientBase, Pool, PoolClient, QueryResult } from 'pg'

/**
 * Runs statements in a transaction of a pool's connection, without Prisma. Commits their changes, or rolls
 * them back if the work throws.
 *
 * @param begin - the statement that begins the transaction.
 * @throws RolledBack if PostgreSQL did not commit.
 */
export async function runTransaction<Result>(
  { pool }: { readonly pool: Pick<Pool, 'connect'> },
  work: (client: PoolClient) => Promise<Result>,
  begin = 'BEGIN',
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } finally {
    // If the transaction is still open, the pool closes the connection, which rolls it back.
    client.release()
  }
}

/**
 * Like {@link runTransaction}, on a connection that belongs to no pool.
 *
 * @throws RolledBack if PostgreSQL did not commit.
 */
export async function inTransaction<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN')
  try {
    const result = await work()
    requireCommitted(await client.query('COMMIT'))
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** PostgreSQL rolled a transaction back instead of committing it, because one of its statements had failed. */
export class RolledBack extends Error {
  constructor() {
    super('PostgreSQL rolled the transaction back: one of its statements had failed')
  }
}

/**
 * PostgreSQL answers `COMMIT` in a failed transaction with the command tag `ROLLBACK`, and without an error.
 *
 * @param result - of `COMMIT`.
 */
export function requireCommitted<Result extends Pick<QueryResult, 'command'>>(
  result: Result,
): Result {
  if (result.command !== 'COMMIT') throw new RolledBack()
  return result
}
