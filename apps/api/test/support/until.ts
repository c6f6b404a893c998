import { setTimeout as delay } from 'node:timers/promises'
import { patienceMs } from '../../../../test/support/patience.ts'
import type { TestApi } from '../../../../test/support/api.ts'

/** Waits until a condition holds that another process or connection brings about; gives its value. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false>,
  { withinMs = patienceMs } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}.`)
    await delay(10)
  }
}

/** Waits until at least this number of transactions wait for locks; with 0, until none does. */
export const untilBlocked = ({ database }: TestApi, count: number): Promise<true> =>
  until(`${count} transactions wait for locks`, async () => {
    const { rows } = await database.pool.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    )
    return count === 0 ? rows.length === 0 : rows.length >= count
  })
