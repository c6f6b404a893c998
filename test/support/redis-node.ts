import { Redis } from 'ioredis'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { findRedis } from '../../tools/local-stack/redis-program.ts'
import { until } from './until.ts'

/** A Redis process that is one of several: a node of a cluster, a replica, or a Sentinel. */
export interface RedisNode {
  readonly port: number
  /** Runs a command on it. */
  command<T = unknown>(name: string, ...args: (string | number)[]): Promise<T>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Starts it again at the same address, without what it held. */
  restart(): Promise<void>
  /** Holds it up: connections stay, nothing is answered. */
  hang(): void
  resume(): void
}

/** What all nodes of a test know each other by. */
export const nodePassword = 'redis-nodes-of-a-test'

/**
 * Starts a node on a free port of 127.0.0.1.
 *
 * @param directory - of the node alone; emptied.
 * @param toConfig - gives the lines of its configuration beyond what all have.
 */
export async function startRedisNode(
  directory: string,
  toConfig: (port: number) => readonly string[],
  asSentinel = false,
): Promise<RedisNode> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const port = await freePort()
  const program = await findRedis()
  const file = join(directory, 'node.conf')
  let child = await start()

  async function start(): Promise<ChildProcess> {
    await writeFile(file, [...common(port, directory), ...toConfig(port)].join('\n'))
    const started = spawn(program, [file, ...(asSentinel ? ['--sentinel'] : [])], {
      stdio: 'ignore',
    })
    await until(
      () => withClient(port, (client) => client.ping()).catch(() => undefined),
      (answer) => answer !== undefined,
    )
    return started
  }

  return {
    port,
    command: (name, ...args) =>
      withClient(port, (client) => client.call(name, ...args)) as Promise<never>,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
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
  // A node that does not answer says so by the command.
  client.on('error', () => undefined)
  try {
    return await ask(client)
  } finally {
    if (client.status !== 'end') client.disconnect()
  }
}
