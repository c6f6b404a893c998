import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { owning } from './owner.ts'
import { initialize, placeData } from './postgres-data.ts'
import { postgresLeftover } from './leftover.ts'
import { findPostgres } from './postgres-programs.ts'
import type { RunningServer, ServerOptions } from './server.ts'
import { startServer } from './start-server.ts'
import { findServerUser, ownerOf } from './system-user.ts'

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'timezone=UTC',
  'log_timezone=UTC',
]

const FAST_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

/**
 * Starts a PostgreSQL with its own data in `directory`, on a free port of 127.0.0.1.
 *
 * @param find - finds its programs.
 */
export async function startPostgres(
  options: ServerOptions,
  find = findPostgres,
): Promise<RunningServer> {
  await mkdir(options.directory, { recursive: true })
  // The canonical path, because it identifies a leftover server.
  const directory = await realpath(options.directory)
  return await owning(join(directory, 'postgres.owner'), () =>
    start({ ...options, directory }, find),
  )
}

async function start(
  { directory, durable, log }: ServerOptions,
  find: typeof findPostgres,
): Promise<RunningServer> {
  const user = await findServerUser(directory)
  const programs = await find(directory, user, log)
  const name = `postgres-${programs.major}`
  const data = await placeData(directory, name, user)
  if (data !== join(directory, name)) log?.(`The data of PostgreSQL is in ${data}`)
  const { password, passwordFile } = await initialize(data, programs, { user, durable })
  const settings = durable ? SETTINGS : [...SETTINGS, ...FAST_SETTINGS]
  const server = await startServer({
    ...postgresLeftover(data),
    name: 'PostgreSQL',
    id: 'postgres',
    directory,
    data,
    command: join(programs.folder, 'postgres'),
    toArguments: (port) => [
      '-D',
      data,
      '-p',
      String(port),
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    toUrl: (port, database = 'postgres') =>
      `postgresql://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    // PostgreSQL must own its data, which an earlier run may have created as another user.
    user: user && (await ownerOf(data)),
    ping,
    log,
  })
  return { ...server, passwordFile }
}

async function ping(url: string): Promise<void> {
  const client = new Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 2000 })
  // A broken connection also emits an error, which would end the process without a handler.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end()
  }
}
