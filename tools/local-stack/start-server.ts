import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { choosePort } from './choose-port.ts'
import { orMissing } from './file-errors.ts'
import { stopLeftover, type Leftover } from './leftover.ts'
import { plainEnvironment, stopProcess } from './process.ts'
import { remember } from './remembered.ts'
import { StartFailure, type RunningServer } from './server.ts'
import type { SystemUser } from './system-user.ts'

const START_TIMEOUT_MS = 30_000

// The servers' messages when an earlier one is still exiting, or another process took the port first.
const PASSING_FAULT = /address already in use|is still in use|lock file .* already exists/i

export type ServerProgram = Leftover & {
  name: string
  /** For `<id>.log` and `<id>.port`. */
  id: string
  directory: string
  /** Its working directory. */
  data: string
  command: string
  toArguments: (port: number) => string[] | Promise<string[]>
  /** Undefined: the plain environment. */
  toEnvironment?: (port: number) => Promise<NodeJS.ProcessEnv>
  user?: SystemUser | undefined
  /** The port of the first run, if it is free. */
  preferredPort?: number
  /** If true, the program writes no `pidFile`, and this module writes it. */
  writesNoPidFile?: boolean
  toUrl: (port: number, database?: string) => string
  /** Rejects while the server at this URL does not respond. */
  ping: (url: string) => Promise<void>
  log?: ((line: string) => void) | undefined
  /** Aborts the wait for its response. */
  signal?: AbortSignal
}

/** Starts the program on the port of its last run, or another; resolves once it responds. */
export async function startServer(program: ServerProgram): Promise<RunningServer> {
  const deadline = Date.now() + START_TIMEOUT_MS
  const portFile = join(program.directory, `${program.id}.port`)
  // Each run's log starts empty; the previous log stays, to be read after a crash.
  await orMissing(rename(logFile(program), join(program.directory, `${program.id}.previous.log`)))
  for (;;) {
    await stopLeftover(program, program.log)
    const port = await choosePort({ ...program, file: portFile, preferred: program.preferredPort })
    const logged = await readLog(program)
    const args = await program.toArguments(port)
    const env = (await program.toEnvironment?.(port)) ?? plainEnvironment
    const child = spawnDetached(program, args, env)
    const ping = () => program.ping(program.toUrl(port))
    const error = await waitForStart(child, ping, { deadline, signal: program.signal })
    if (!error) {
      await remember(portFile, String(port))
      return running(program, child, port)
    }
    await stopChild(child, program)
    const said = (await readLog(program)).slice(logged.length)
    if (Date.now() > deadline || !PASSING_FAULT.test(said)) {
      throw new StartFailure(describe(`${program.name} did not start, ${error}`, program, said))
    }
    await sleep(100)
  }
}

function spawnDetached(
  program: ServerProgram,
  args: string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const log = openSync(logFile(program), 'a', 0o600)
  const child = spawn(program.command, args, {
    cwd: program.data,
    // A separate process group: Ctrl-C signals the terminal's whole group, and the database must outlive
    // the processes that use it.
    detached: true,
    env,
    stdio: ['ignore', log, log],
    ...program.user,
  })
  closeSync(log)
  if (program.writesNoPidFile) writeFileSync(program.pidFile, `${child.pid}\n`)
  return child
}

/** Waits until the server responds; returns the failure otherwise. */
async function waitForStart(
  child: ChildProcess,
  ping: () => Promise<void>,
  { deadline, signal }: { deadline: number; signal: AbortSignal | undefined },
) {
  let spawnError: Error | undefined
  child.once('error', (error) => (spawnError = error))
  for (let lastError: unknown; ; await sleep(20)) {
    if (spawnError) return spawnError.message
    if (hasEnded(child)) return `it ended with ${child.signalCode ?? `code ${child.exitCode}`}`
    if (signal?.aborted) return 'it was stopped while it was starting'
    if (Date.now() > deadline)
      return `no response in ${START_TIMEOUT_MS / 1000} s: ${String(lastError)}`
    try {
      await ping()
      return undefined
    } catch (error) {
      lastError = error
    }
  }
}

function running(program: ServerProgram, child: ChildProcess, port: number): RunningServer {
  let isStopping = false
  const ended = new Promise<Error>((resolve) => {
    const tell = async () => {
      if (isStopping) return
      const said = await readLog(program)
      resolve(new Error(describe(`${program.name} exited unexpectedly`, program, said)))
    }
    if (hasEnded(child)) void tell()
    else child.once('exit', () => void tell())
  })
  return {
    url: (database) => program.toUrl(port, database),
    stop: () => {
      isStopping = true
      return stopChild(child, program)
    },
    ended,
  }
}

async function stopChild(child: ChildProcess, program: ServerProgram): Promise<void> {
  if (!child.pid || hasEnded(child)) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  await stopProcess(child.pid, program.stopSignals)
  await exit
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function describe(what: string, program: ServerProgram, said: string): string {
  const tail = said.trim().split('\n').slice(-20).join('\n')
  return `${what} (${logFile(program)})\n${tail}`
}

function logFile(program: ServerProgram): string {
  return join(program.directory, `${program.id}.log`)
}

function readLog(program: ServerProgram): Promise<string> {
  return readFile(logFile(program), 'utf8').catch(() => '')
}
