import { join } from 'node:path'
import type { Leftover } from './leftover.ts'

/** The server that may still use this data. */
export function postgresLeftover(data: string): Leftover {
  return {
    pidFile: join(data, 'postmaster.pid'),
    argument: data,
    // Fast shutdown, then immediate shutdown, then SIGKILL, after which the next start must recover.
    stopSignals: [
      ['SIGINT', 20_000],
      ['SIGQUIT', 5000],
      ['SIGKILL', 5000],
    ],
  }
}
