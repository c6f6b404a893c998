import { randomBytes } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { owning } from './owner.ts'
import { recall, remember } from './remembered.ts'
import type { RunningServer, ServerOptions } from './server.ts'
import { startServer } from './start-server.ts'
import { installDebianPackage } from './debian-package.ts'
import { findOnPath } from './postgres-programs.ts'

/** Starts a Redis with its own data in `directory`, on a free port of 127.0.0.1. */
export async function startRedis(options: ServerOptions): Promise<RunningServer> {
  await mkdir(join(options.directory, 'redis'), { recursive: true, mode: 0o700 })
  // The canonical path, because it identifies a leftover server.
  const directory = await realpath(options.directory)
  return await owning(join(directory, 'redis.owner'), () => start({ ...options, directory }))
}

async function start({ directory, durable, log }: ServerOptions): Promise<RunningServer> {
  const command = await findRedis(log)
  const data = join(directory, 'redis')
  const configFile = join(data, 'redis.conf')
  const pidFile = join(data, 'redis.pid')
  const password = await rememberedPassword(join(directory, 'redis.password'))
  return await startServer({
    name: 'Redis',
    id: 'redis',
    directory,
    data,
    pidFile,
    argument: configFile,
    stopSignals: [
      ['SIGTERM', 10_000],
      ['SIGKILL', 5000],
    ],
    command,
    toArguments: async (port) => {
      await remember(configFile, toConfig({ port, password, pidFile, data, durable }))
      return [configFile]
    },
    toUrl: (port, database = '0') => `redis://:${password}@127.0.0.1:${port}/${database}`,
    ping,
    log,
  })
}

type Settings = { port: number; password: string; pidFile: string; data: string; durable: boolean }

/** In a file, because every user can read the arguments of a process. */
function toConfig({ port, password, pidFile, data, durable }: Settings): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(data)}`,
    `pidfile ${JSON.stringify(pidFile)}`,
    // A process title would hide the argument that identifies the process in the next run.
    'set-proc-title no',
    // BullMQ's jobs are not a cache.
    'maxmemory-policy noeviction',
    'save ""',
    `appendonly ${durable ? 'yes' : 'no'}`,
    'appendfsync everysec',
  ].join('\n')
}

async function rememberedPassword(file: string): Promise<string> {
  const known = await recall(file)
  const password = known ?? randomBytes(24).toString('hex')
  if (!known) await remember(file, password)
  return password
}

async function ping(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  // Every failure is also emitted here, and without a handler ioredis prints it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.ping()
  } finally {
    // On a closed connection this would leave a timer of two seconds.
    if (client.status !== 'end') client.disconnect()
  }
}

const MISSING =
  'Redis is not installed: install it with "apt-get install redis-server" or "brew install redis", ' +
  'set REDIS_URL to a running server, or use "docker compose up"'

/**
 * The installed Redis or Valkey; installed with apt-get if possible without a prompt.
 *
 * @throws Error, one line that names what to install.
 */
export async function findRedis(log?: (line: string) => void): Promise<string> {
  const found = await onPath()
  if (found) return found
  log?.('Redis is not installed (set REDIS_URL to use a server that runs elsewhere)')
  const error = await installDebianPackage('redis-server', log)
  const installed = await onPath()
  if (installed) return installed
  throw new Error(MISSING, { cause: error })
}

async function onPath(): Promise<string | undefined> {
  return (await findOnPath('redis-server')) ?? (await findOnPath('valkey-server'))
}
