import type { Database } from './database.ts'
import { isMissingPartition } from './errors.ts'

/** How many days ahead partitions are created. */
export const partitionDaysAhead = 7

/**
 * Creates the missing day partitions of the records, from yesterday to a week ahead, and attaches detached ones. Any
 * number of processes can call it at the same time. Blocks neither readers nor writers.
 *
 * @returns the number of partitions created or attached.
 */
export async function makePartitions({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ made: number }>('SELECT make_partitions($1) AS made', [
    partitionDaysAhead,
  ])
  return rows[0]!.made
}

/** The creation in progress of each pool. */
const making = new WeakMap<Database['pool'], Promise<number>>()

/**
 * Runs a statement or transaction that stores records. If a record has no partition, creates the missing ones and runs
 * it again. Processes create them a week ahead, so that happens after all have slept for longer, or a clock has jumped.
 */
export async function withPartitions<Result>(
  database: Pick<Database, 'pool'>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!isMissingPartition(error)) throw error
  }
  const { pool } = database
  const made = making.get(pool) ?? makePartitions(database).finally(() => making.delete(pool))
  making.set(pool, made)
  await made
  return await run()
}
