import { setTimeout } from 'node:timers/promises'
import { startService, type ServiceProcess } from '../../support/processes.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

/** Where a process is called. */
export interface Served {
  /** The running process. `undefined`: none is running now. */
  readonly process: ServiceProcess | undefined
}

/** An API or a worker that is started again whenever it ends. */
export interface ServiceSlot extends Served {
  readonly kind: 'api' | 'worker'
  readonly name: string
  readonly postgres: TcpProxy
  readonly redis: TcpProxy
  /** All its connections to PostgreSQL, also those that bypass a pooler. */
  readonly allPostgres: readonly TcpProxy[]
  /** The log lines of all its processes. */
  readonly lines: readonly string[]
  /** Starts it, again and again until it listens. */
  start(extra?: Readonly<Record<string, string>>): Promise<void>
  kill(): Promise<void>
  /** Stops it as an operator does. Returns its exit code. */
  stop(): Promise<number | null>
  close(): Promise<void>
}

/** What the processes of a run have in common. */
export interface SlotOptions {
  readonly environment: Readonly<Record<string, string>>
  /** The folder whose build runs, with a slash at its end. */
  readonly folder: string
}

/** The last log lines that the report of an unexpected end contains. */
const lastLines = 5
const againMs = 300
/** Longer than any fault: a process that does not start within this time, in ms, is broken. */
const startMsMax = 90_000

/**
 * Prepares a process behind proxies of its own.
 *
 * @param onEnd - called if the process ends without being told to, with its last log lines.
 */
export async function makeSlot(
  { kind, name }: { kind: 'api' | 'worker'; name: string },
  { environment, folder }: SlotOptions,
  onEnd: (name: string, report: string) => void,
): Promise<ServiceSlot> {
  const { own, ...proxies } = await startProxies(environment)
  let running: ServiceProcess | undefined
  const closing = new AbortController()
  const logs: (readonly string[])[] = []

  async function startOnce(extra: Readonly<Record<string, string>>): Promise<void> {
    const started = await startService(kind, { ...own, ...extra }, folder)
    running = started
    logs.push(started.lines)
    void watch(started, 'FAIL_POINT' in extra)
  }

  async function watch(started: ServiceProcess, mayBeKilled: boolean): Promise<void> {
    const code = await started.ended
    if (running !== started) return
    running = undefined
    if (mayBeKilled && code === null) return
    onEnd(name, `ended with ${code}: ${started.lines.slice(-lastLines).join(' ')}`)
    await start()
  }

  async function start(extra: Readonly<Record<string, string>> = {}): Promise<void> {
    const deadline = performance.now() + startMsMax
    while (!running && !closing.signal.aborted) {
      // Without PostgreSQL, a process does not start.
      await startOnce(extra).catch((error: unknown) => {
        if (performance.now() > deadline) throw error
        return setTimeout(againMs)
      })
    }
  }

  const take = (): ServiceProcess | undefined => {
    const taken = running
    running = undefined
    return taken
  }

  return {
    kind,
    name,
    get process() {
      return running
    },
    ...proxies,
    get lines() {
      return logs.flat()
    },
    start,
    kill: async () => take()?.kill(),
    stop: async () => (await take()?.stop()) ?? 0,
    async close() {
      closing.abort()
      await take()?.kill()
      await Promise.all([...proxies.allPostgres, proxies.redis].map((proxy) => proxy.close()))
    },
  }
}

/** Starts the proxies of a process. Returns them with the settings that lead to them. */
async function startProxies(environment: Readonly<Record<string, string>>) {
  const postgres = await startTcpProxy(() => environment['DATABASE_URL']!)
  const redis = await startTcpProxy(() => environment['REDIS_URL']!)
  const own = { ...environment, DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  const { DATABASE_DIRECT_URL: directUrl } = environment
  if (directUrl === undefined) return { own, postgres, redis, allPostgres: [postgres] }
  const direct = await startTcpProxy(() => directUrl)
  return {
    own: { ...own, DATABASE_DIRECT_URL: direct.url },
    postgres,
    redis,
    allPostgres: [postgres, direct],
  }
}
