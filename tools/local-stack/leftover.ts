import { rm } from 'node:fs/promises'
import { commandOf, stopProcess, type StopSignals } from './process.ts'
import { recall } from './remembered.ts'

export type Leftover = {
  /** Its first line is the process's id, as PostgreSQL and Redis write it. */
  pidFile: string
  /** A path among the arguments of our server and of no other. */
  argument: string
  stopSignals: StopSignals
}

/**
 * Ends the server that an earlier run, killed too hard to end it, left on the same data. The number
 * in the file may by now be any process's (a reboot, a copied folder), so its arguments must tell;
 * a file about anything else goes, because PostgreSQL would refuse to start beside it.
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
