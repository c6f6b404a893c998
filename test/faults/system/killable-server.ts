import { setTimeout } from 'node:timers/promises'
import { askPostgres, askRedis } from '../../../tools/local-stack/ask-server.ts'
import { startPostgres } from '../../../tools/local-stack/postgres.ts'
import { commandOf, run } from '../../../tools/local-stack/process.ts'
import { startRedis } from '../../../tools/local-stack/redis.ts'
import type { RunningServer, ServerOptions } from '../../../tools/local-stack/server.ts'

/** A server of the suite that can be stopped in every way and started again at the same address. */
export interface KillableServer {
  url(database?: string): string
  /** Starts it if it is not running, and resumes it if it is paused. */
  start(): Promise<void>
  /** Stops it as an operator does: PostgreSQL with a fast shutdown. */
  stop(): Promise<void>
  /** Stops it and all its child processes immediately with SIGKILL. */
  kill(): Promise<void>
  /** Pauses it: connections stay open, but nothing responds. */
  hang(): void
  /** Pauses it with all its child processes; returns a function that resumes them. */
  freeze(): Promise<() => void>
}

/** A PostgreSQL that keeps its committed data through every fault. */
export const makePostgres = (directory: string): Promise<KillableServer> =>
  makeServer(() => startPostgres({ directory, durable: true }), askPostgres.pid)

/** A Redis that is empty after a restart. */
export const makeRedis = (directory: string): Promise<KillableServer> =>
  makeServer(() => startRedis({ directory, durable: false }), askRedis.pid)

async function makeServer(
  startServer: (options?: ServerOptions) => Promise<RunningServer>,
  askPid: (url: string) => Promise<number>,
): Promise<KillableServer> {
  let server: RunningServer | undefined = await startServer()
  let pid = await askPid(server.url())
  const { url } = server
  return {
    url,
    async start() {
      if (server) {
        process.kill(pid, 'SIGCONT')
        return
      }
      server = await startServer()
      if (server.url() !== url()) throw new Error('meanwhile another program took the port')
      pid = await askPid(url())
    },
    async stop() {
      if (!server) return
      process.kill(pid, 'SIGCONT')
      await server.stop()
      server = undefined
    },
    async kill() {
      await killAll(pid)
      await server?.ended
      server = undefined
    },
    hang: () => void process.kill(pid, 'SIGSTOP'),
    async freeze() {
      process.kill(pid, 'SIGSTOP')
      const all = [pid, ...(await childrenOf(pid))]
      for (const each of all) signal(each, 'SIGSTOP')
      return () => all.forEach((each) => signal(each, 'SIGCONT'))
    },
  }
}

/**
 * Kills a process and its children. A PostgreSQL that starts while processes of the killed one still write
 * to its data would lose their commits, so this waits for them to exit.
 */
export async function killAll(pid: number): Promise<void> {
  // A stopped process starts no children while they are counted.
  process.kill(pid, 'SIGSTOP')
  const started = await childrenOf(pid)
  // The parent goes last: without it, the children would exit by themselves, and nothing would be killed.
  for (const each of [...started, pid]) process.kill(each, 'SIGKILL')
  for (const each of started) while (await commandOf(each)) await setTimeout(5)
}

/** A process that has exited needs no signal. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid='])
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (ppid === parent ? [pid!] : []))
}
