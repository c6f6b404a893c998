import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { processEnvironment } from '../../tools/process-environment.ts'
import { root } from '../../tools/run.ts'

/** A process of the service under test. */
export interface ServiceProcess {
  readonly port: number
  readonly internalPort: number
  /** All log lines until now. */
  readonly lines: readonly string[]
  /** The exit code, once the process has exited and its output was read; null if a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends SIGTERM and returns the exit code. @throws Error with the last log lines if the process does not end. */
  stop(): Promise<number | null>
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Runs a function while the process is stopped. */
  whileStopped(work: () => Promise<void>): Promise<void>
}

/** One process of the system. */
export interface SystemProcess extends ServiceProcess {
  readonly pid: number
}

/** The output of a process that exited. */
export interface EndedProcess {
  readonly code: number | null
  readonly output: string
}

/** A process ends within this time after SIGTERM, in ms. It is longer than the time in which a process drains. */
const stopMsMax = 30_000

/**
 * Starts `api` or `worker`, configured only by the environment, and waits until it listens.
 *
 * @param checkout - the folder whose build it runs, with a slash at its end.
 */
export async function startService(
  name: 'api' | 'worker',
  environment: Record<string, string>,
  checkout = root,
): Promise<SystemProcess> {
  return untilListening(spawnService(name, environment, checkout), name)
}

/** A process of the service, once it listens. @throws Error with its output if it exits before. */
export async function untilListening(child: ChildProcess, name: string): Promise<SystemProcess> {
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const lines: string[] = []
  const listening = await new Promise<{ port: number; internalPort: number }>((resolve, reject) => {
    createInterface(child.stdout!).on('line', (line) => {
      lines.push(line)
      const entry = parseLine(line)
      if (entry?.msg === 'listening') resolve(entry)
    })
    createInterface(child.stderr!).on('line', (line) => lines.push(line))
    void ended.then((code) => reject(new Error(`${name} ended with ${code}:\n${lines.join('\n')}`)))
  })
  return {
    ...listening,
    pid: child.pid!,
    lines,
    ended,
    async stop() {
      child.kill('SIGTERM')
      let isOverdue = false
      const timer = setTimeout(() => {
        isOverdue = true
        child.kill('SIGKILL')
      }, stopMsMax)
      const code = await ended.finally(() => clearTimeout(timer))
      if (!isOverdue) return code
      throw new Error(`${name} did not end after SIGTERM:\n${lines.slice(-20).join('\n')}`)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async whileStopped(work) {
      child.kill('SIGSTOP')
      try {
        await work()
      } finally {
        child.kill('SIGCONT')
      }
    },
  }
}

/** Starts a process that exits by itself. */
export async function runService(
  name: 'api' | 'worker',
  environment: Record<string, string>,
  checkout = root,
): Promise<EndedProcess> {
  const child = spawnService(name, environment, checkout)
  const output: string[] = []
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output: output.join('') }
}

/** Node's compile cache: tests start hundreds of processes. */
const compiledCode = { NODE_COMPILE_CACHE: `${root}.cache/compiled` }

const spawnService = (
  name: string,
  environment: Record<string, string>,
  checkout: string,
): ChildProcess =>
  spawn(process.execPath, [`${checkout}apps/${name}/dist/bundle/main.js`], {
    env: { PATH: process.env['PATH'], ...processEnvironment, ...compiledCode, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

interface LogEntry {
  readonly msg?: string
  readonly port: number
  readonly internalPort: number
}

function parseLine(line: string): LogEntry | undefined {
  try {
    return JSON.parse(line) as LogEntry
  } catch {
    return undefined
  }
}
