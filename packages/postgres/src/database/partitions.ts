import type { Database } from './database.ts'

/** How many days ahead partitions are created. If all processes are down for longer, inserts fail. */
export const partitionDaysAhead = 7

/**
 * Creates the missing day partitions of the records, from yesterday to a week ahead. Any number of
 * processes can call it at the same time. Blocks neither readers nor writers.
 *
 * @returns the number of partitions created.
 */
export async function makePartitions({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ made: number }>('SELECT make_partitions($1) AS made', [
    partitionDaysAhead,
  ])
  return rows[0]!.made
}
