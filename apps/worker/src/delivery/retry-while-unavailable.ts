import { isDatabaseUnavailable } from '@hosting/postgres'
import { setTimeout } from 'node:timers/promises'

const againMs = 200

/**
 * Runs something against PostgreSQL, again and again while it cannot be reached.
 *
 * @param untilMs - on the clock of `performance.now()`: past it the error is thrown.
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
