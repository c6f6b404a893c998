import { Redis } from 'ioredis'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { findRedis } from '../../tools/local-stack/redis.ts'
import { until } from './until.ts'

/** A Redis process that is one of several: a cluster node, a replica, or a Sentinel. */
export interface RedisNode {
  readonly port: number
  /** Runs a command on it. */
  command<T = unknown>(name: string, ...args: (string | number)[]): Promise<T>
  /** Stops it with SIGKILL. */
  kill(): Promise<void>
  /** Starts it again at the same address, without its data. */
  restart(): Promise<void>
  /** Pauses it: connections stay open, but nothing responds. */
  hang(): void
  resume(): void
}

/** The password that all nodes of a test share. */
export const nodePassword = 'redis-nodes-of-a-test'

/** Another process may take a free port before the node listens on it; then the node starts on another port. */
const startsMax = 5

/**
 * Starts a node on a free port of 127.0.0.1.
 *
 * @param directory - used only by this node; emptied.
 * @param toConfig - returns the additional configuration lines of a node on a port; called again for another port.
 */
export async function startRedisNode(
  directory: string,
  toConfig: (port: number) => readonly string[] | Promise<readonly string[]>,
  asSentinel = false,
): Promise<RedisNode> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const program = await findRedis()
  const file = join(directory, 'node.conf')

  async function start(port: number, config: string): Promise<ChildProcess> {
    await writeFile(file, config)
    const started = spawn(program, [file, ...(asSentinel ? ['--sentinel'] : [])], {
      stdio: 'ignore',
    })
    // By its run id, because another server may listen on its port.
    const isOurs = (about: string) => about.includes(`process_id:${started.pid}\r\n`)
    await until(
      async () =>
        hasEnded(started) ||
        isOurs(await withClient(port, (client) => client.info('server')).catch(() => '')),
      (isOver) => isOver,
    )
    return started
  }

  for (let starts = 1; ; starts++) {
    const port = await freePort()
    const config = [...common(port, directory), ...(await toConfig(port))].join('\n')
    const child = await start(port, config)
    if (!hasEnded(child)) return nodeOf(port, child, () => start(port, config))
    if (starts === startsMax) throw new Error(`Redis does not start by ${file}`)
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

function nodeOf(
  port: number,
  running: ChildProcess,
  start: () => Promise<ChildProcess>,
): RedisNode {
  let child = running
  return {
    port,
    command: (name, ...args) =>
      withClient(port, (client) => client.call(name, ...args)) as Promise<never>,
    async kill() {
      if (hasEnded(child)) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async restart() {
      child = await start()
    },
    hang: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

const common = (port: number, directory: string): string[] => [
  'bind 127.0.0.1',
  `port ${port}`,
  `dir ${JSON.stringify(directory)}`,
  `requirepass ${nodePassword}`,
  'save ""',
  'appendonly no',
]

async function withClient<T>(port: number, ask: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1', {
    password: nodePassword,
    retryStrategy: () => null,
    commandTimeout: 2_000,
  })
  // A node that does not respond makes the command fail.
  client.on('error', () => undefined)
  try {
    return await ask(client)
  } finally {
    if (client.status !== 'end') client.disconnect()
  }
}
