import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { processEnvironment } from '../tools/process-environment.ts'
import { root } from '../tools/run.ts'
import { serviceToken } from './servers.ts'

/** A measured process. */
export interface BenchProcess {
  readonly pid: number
  readonly url: string
  readonly internalUrl: string
  readonly serviceToken: string
  stop(): Promise<void>
}

/** Starts a file with this Node and its flags, and waits until it prints that it listens. */
export async function startNode(
  file: string,
  environment: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<BenchProcess> {
  const child = spawn(process.execPath, [...flags, root + file], {
    env: { PATH: process.env['PATH'], ...processEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A failed benchmark leaves no processes behind.
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const { port, internalPort = 0 } = await new Promise<{ port: number; internalPort?: number }>(
    (resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        const entry = JSON.parse(line) as { msg?: string; port: number; internalPort?: number }
        if (entry.msg === 'listening') resolve(entry)
      })
      void ended.then(() => reject(new Error(`${file} ended before it listened`)))
    },
  )
  return {
    pid: child.pid!,
    url: `http://127.0.0.1:${port}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    serviceToken,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A load that waits in a process of its own, so that it delays no timer of the measurement. */
export interface PreparedLoad<Outcome> {
  fire(): void
  /** What the process prints at its end, as JSON. */
  readonly outcome: Promise<Outcome>
}

/** Starts a file, and waits until it prints that it is ready. It begins with a line of standard input. */
export async function prepareLoad<Outcome>(
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<PreparedLoad<Outcome>> {
  const child = spawn(process.execPath, [root + file], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  const outcome = once(lines, 'line').then(([line]) => JSON.parse(line as string) as Outcome)
  return { fire: () => void child.stdin.write('\n'), outcome }
}

const ticksPerSecond = 100

/** The CPU time of a process, user and system, in seconds; from Linux' /proc. */
export const cpuSecondsOf = (pid: number): number => readStat(pid).cpuSeconds

/** The part of it in user mode, in seconds. */
export const userSecondsOf = (pid: number): number => readStat(pid).userSeconds

/** The resident memory of a process, in MiB; from Linux' /proc. */
export const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

/** How often its main thread has waited for something and was woken. */
export const wakeUpsOf = (pid: number): number =>
  Number(
    /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1],
  )

/** The CPU time of its ended child processes. */
export const cpuSecondsOfEnded = (pid: number): number => readStat(pid).endedSeconds

/** Its parent process. */
export const parentOf = (pid: number): number => readStat(pid).parent

function readStat(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number)
  return {
    parent: fields[1]!,
    userSeconds: fields[11]! / ticksPerSecond,
    cpuSeconds: (fields[11]! + fields[12]!) / ticksPerSecond,
    endedSeconds: (fields[13]! + fields[14]!) / ticksPerSecond,
  }
}
