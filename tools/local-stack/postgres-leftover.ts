import { join } from 'node:path'
import type { Leftover } from './leftover.ts'

/** The server that may still run on this data. */
export function postgresLeftover(data: string): Leftover {
  return {
    pidFile: join(data, 'postmaster.pid'),
    argument: data,
    // Fast shutdown, immediate shutdown, and last what leaves the next start a recovery.
    stopSignals: [
      ['SIGINT', 20_000],
      ['SIGQUIT', 5000],
      ['SIGKILL', 5000],
    ],
  }
}
