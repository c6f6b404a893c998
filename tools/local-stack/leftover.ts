import { rm } from 'node:fs/promises'
import { commandOf, stopProcess, type StopSignals } from './process.ts'
import { recall } from './remembered.ts'
import { join } from 'node:path'

export type Leftover = {
  /** Its first line is the process id, as PostgreSQL and Redis write it. */
  pidFile: string
  /** A path that only our server has among its arguments. */
  argument: string
  stopSignals: StopSignals
}

/**
 * Stops the server that an earlier, killed run left on the same data. The process id in the file may have been
 * reused (after a reboot, in a copied folder), so the arguments of the process are checked. A file about any
 * other process is removed, because PostgreSQL would refuse to start with it.
 */
export async function stopLeftover(leftover: Leftover, log?: (line: string) => void) {
  const pid = Number.parseInt((await recall(leftover.pidFile)) ?? '', 10)
  if (!(pid > 0)) return
  const command = await commandOf(pid)
  if (command && ` ${command} `.includes(` ${leftover.argument} `)) {
    log?.(`Stopping process ${pid}, left by an earlier run`)
    await stopProcess(pid, leftover.stopSignals)
  }
  await rm(leftover.pidFile, { force: true })
}

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
