import type { TestApi } from '../../../../test/support/api.ts'
import { until } from './until.ts'

/** Waits until at least this number of transactions wait for locks; with 0, until none does. */
export const untilBlocked = ({ database }: TestApi, count: number): Promise<true> =>
  until(`${count} transactions wait for locks`, async () => {
    const { rows } = await database.pool.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    )
    return count === 0 ? rows.length === 0 : rows.length >= count
  })
