import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { installDebianPackage } from '../../tools/local-stack/debian-package.ts'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { findServerUser } from '../../tools/local-stack/system-user.ts'
import { until } from './until.ts'

/** A running PgBouncer. */
export interface Pgbouncer {
  /** The URL of a database of the server through the pooler. */
  url(databaseUrl: string): string
  /** Stops it with SIGKILL, and starts it again after a time. */
  killAndRestart(afterMs?: number): Promise<void>
  /** Pauses it: connections stay open, but nothing responds. */
  hang(): void
  resume(): void
  stop(): Promise<void>
}

/** The maximum number of its connections to a database. Less than the clients have in total. */
export const poolSize = 15

const program = '/usr/sbin/pgbouncer'
const folder = '/tmp'

/**
 * Starts a PgBouncer in front of the PostgreSQL at `serverUrl`, with the same user and password.
 *
 * @param settings - lines of its configuration. By default it is in transaction mode.
 */
export async function startPgbouncer(
  serverUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pgbouncer> {
  const server = new URL(serverUrl)
  const port = await freePort()
  const directory = await mkdtemp(join(folder, 'hosting-pgbouncer-'))
  // PgBouncer refuses to run as root.
  const user = await findServerUser(folder)
  const configFile = await writeConfig(directory, { server, port, user, settings })
  await installPgbouncer()
  const url = (databaseUrl: string): string => {
    const through = new URL(databaseUrl)
    through.host = `127.0.0.1:${port}`
    return through.href
  }

  async function start(): Promise<ChildProcess> {
    const started = spawn(program, ['--quiet', configFile], { stdio: 'ignore', ...user })
    await until(
      () => isUp(url(serverUrl)),
      (isThere) => isThere,
    )
    return started
  }

  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  let child = await start()
  return {
    url,
    async killAndRestart(afterMs = 0) {
      await end('SIGKILL')
      await setTimeout(afterMs)
      child = await start()
    },
    hang: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      await end('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function installPgbouncer(): Promise<void> {
  if (existsSync(program)) return
  const cause = await installDebianPackage('pgbouncer')
  if (!existsSync(program)) {
    throw new Error('PgBouncer is missing: apt-get install pgbouncer', { cause })
  }
}

async function writeConfig(
  directory: string,
  {
    server,
    port,
    user,
    settings,
  }: {
    server: URL
    port: number
    user: Awaited<ReturnType<typeof findServerUser>>
    settings: Readonly<Record<string, string>>
  },
): Promise<string> {
  const [file, users] = [join(directory, 'pgbouncer.ini'), join(directory, 'users.txt')]
  const config = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port || 5432}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    `auth_type = ${server.password === '' ? 'trust' : 'plain'}`,
    `auth_file = ${users}`,
    'max_client_conn = 1000',
    `default_pool_size = ${poolSize}`,
    ...Object.entries({ pool_mode: 'transaction', ...settings }).map((line) => line.join(' = ')),
  ]
  await writeFile(file, config.join('\n'))
  const [name, password] = [server.username, server.password].map(decodeURIComponent)
  await writeFile(users, `"${name}" "${password}"\n`, { mode: 0o600 })
  if (user) for (const path of [directory, file, users]) await chown(path, user.uid, user.gid)
  await chmod(users, 0o600)
  return file
}

async function isUp(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
