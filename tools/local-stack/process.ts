import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from './file-errors.ts'

/** Signals to send, each with the time it is given before the next and harsher one. */
export type StopSignals = readonly (readonly [signal: NodeJS.Signals, waitMs: number])[]

export const run = promisify(execFile)

/** The environment of every server: nothing of the user's (PGDATA, LANG, TZ) may change it. */
export const plainEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }

/** The arguments of a running process, joined by spaces; undefined for one that has ended. */
export async function commandOf(pid: number): Promise<string | undefined> {
  const command = await (process.platform === 'linux' ? fromProc(pid) : fromPs(pid))
  // A zombie has no arguments: it has ended, even if nobody ever collects it.
  return command.trim() || undefined
}

/** Sends the signals in turn until the process is gone. */
export async function stopProcess(pid: number, signals: StopSignals): Promise<void> {
  const command = await commandOf(pid)
  if (!command) return
  for (const [signal, waitMs] of signals) {
    if (!send(pid, signal)) return
    const deadline = Date.now() + waitMs
    while (Date.now() < deadline) {
      // Compared, because the number may meanwhile be another process's.
      if ((await commandOf(pid)) !== command) return
      await sleep(10)
    }
  }
  throw new Error(`Process ${pid} does not end: ${command}`)
}

async function fromProc(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return text.replaceAll('\0', ' ')
}

async function fromPs(pid: number): Promise<string> {
  const found = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => undefined)
  return found?.stdout ?? ''
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
    throw new Error(`Process ${pid} is another user's and cannot be stopped`, { cause: error })
  }
}
