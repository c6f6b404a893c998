import { isDatabaseUnavailable } from '@hosting/postgres/database'
import { setTimeout } from 'node:timers/promises'

const againMs = 200

/**
 * Runs an operation, and retries it while PostgreSQL is unavailable.
 *
 * @param untilMs - a time as `performance.now()` gives it. After it, the error is thrown.
 */
export async function retryWhileUnavailable<Result>(
  run: () => Promise<Result>,
  untilMs: number,
): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (performance.now() >= untilMs || !isDatabaseUnavailable(error)) throw error
      await setTimeout(againMs)
    }
  }
}
