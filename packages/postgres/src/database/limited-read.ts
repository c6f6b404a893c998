import type { Database } from './database.ts'
import { isStatementTimeout } from './errors.ts'
import { run, type Statement, type Types, type Values } from './define-statement.ts'
import type { RowOf } from './column-types.ts'
import { runTransaction } from './transaction.ts'

/**
 * Runs a statement that reads as much as its filter finds, such as an exact count, and that PostgreSQL ends after a time.
 *
 * @param msMax - the most ms that it may take.
 * @returns its rows, or `too_long` if it was ended.
 */
export async function runWithin<Takes extends Types, Gives extends Types>(
  { pool }: Pick<Database, 'pool'>,
  msMax: number,
  statement: Statement<Takes, Gives>,
  values: Values<Takes>,
): Promise<RowOf<Gives>[] | 'too_long'> {
  const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${msMax}`
  try {
    return await runTransaction({ pool }, (client) => run(client, statement, values), begin)
  } catch (error) {
    if (isStatementTimeout(error)) return 'too_long'
    throw error
  }
}
