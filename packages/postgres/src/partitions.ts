import type { Database } from './database.ts'

/** How many days ahead partitions are made: so long may every process be down before inserts fail. */
export const partitionDaysAhead = 7

/**
 * Makes the missing day partitions of the records, from yesterday to a week ahead. Safe to run in every
 * process at once; blocks no reader and no writer.
 *
 * @returns how many were made.
 */
export async function makePartitions({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ made: number }>('SELECT make_partitions($1) AS made', [
    partitionDaysAhead,
  ])
  return rows[0]!.made
}
