import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from './file-errors.ts'

/** The signals to send, each with the time until the next, stronger one. */
export type StopSignals = readonly (readonly [signal: NodeJS.Signals, waitMs: number])[]

export const run = promisify(execFile)

/** The environment of every server: no variable of the user (PGDATA, LANG, TZ) may affect it. */
export const plainEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }

/** The arguments of a running process, joined by spaces; undefined if it has exited. */
export async function commandOf(pid: number): Promise<string | undefined> {
  const command = await (process.platform === 'linux' ? fromProc(pid) : fromPs(pid))
  // A zombie has no arguments: it has exited, even if its parent never collects it.
  return command.trim() || undefined
}

/** Sends the signals in turn until the process has exited. */
export async function stopProcess(pid: number, signals: StopSignals): Promise<void> {
  const command = await commandOf(pid)
  if (!command) return
  for (const [signal, waitMs] of signals) {
    if (!send(pid, signal)) return
    const deadline = Date.now() + waitMs
    while (Date.now() < deadline) {
      // Checked each time, because another process may reuse the id meanwhile.
      if ((await commandOf(pid)) !== command) return
      await sleep(10)
    }
  }
  throw new Error(`Process ${pid} did not exit: ${command}`)
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
    throw new Error(`Process ${pid} belongs to another user and cannot be stopped`, {
      cause: error,
    })
  }
}
