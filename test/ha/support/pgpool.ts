import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { installDebianPackage } from '../../../tools/local-stack/debian-package.ts'
import { freePort } from '../../../tools/local-stack/free-port.ts'
import { findServerUser } from '../../../tools/local-stack/system-user.ts'
import { until } from '../../support/until.ts'
import type { ComposePair } from './compose/compose-pair.ts'

/** A running Pgpool-II. */
export interface Pgpool {
  readonly databaseUrl: string
  stop(): Promise<void>
}

const program = '/usr/sbin/pgpool'

/** Starts Pgpool-II in front of a pair of servers, with the setting that docs/operations.md names. */
export async function startPgpool(pair: ComposePair): Promise<Pgpool> {
  if (!existsSync(program)) await installDebianPackage('pgpool2')
  const folder = await mkdtemp('/tmp/hosting-pgpool-')
  const user = await findServerUser('/tmp')
  const url = new URL(pair.urlOf('postgres'))
  const ports = [url.port, new URL(pair.urlOf('postgres2')).port]
  const port = await freePort()
  const settings = {
    backend_clustering_mode: 'streaming_replication',
    load_balance_mode: 'off',
    ...Object.fromEntries(
      ports.flatMap((each, index) => [
        [`backend_hostname${index}`, '127.0.0.1'],
        [`backend_port${index}`, each],
      ]),
    ),
    sr_check_user: 'hosting_check',
    sr_check_database: 'postgres',
    // More than the processes have connections.
    num_init_children: '80',
    max_pool: '1',
    allow_clear_text_frontend_auth: 'on',
    listen_addresses: '127.0.0.1',
    port: String(port),
    pcp_listen_addresses: '',
    pcp_port: String(await freePort()),
    unix_socket_directories: folder,
    pcp_socket_dir: folder,
    pid_file_name: join(folder, 'pgpool.pid'),
    logdir: folder,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`)
  const empty = ['pool_hba.conf', 'pcp.conf', 'pool_passwd'].map((name) => join(folder, name))
  const file = join(folder, 'pgpool.conf')
  await writeFile(file, lines.join('\n'))
  for (const each of empty) await writeFile(each, '')
  if (user) for (const path of [folder, file, ...empty]) await chown(path, user.uid, user.gid)
  const args = ['-n', '-f', file, '-a', empty[0]!, '-F', empty[1]!]
  const child = spawn(program, args, { cwd: '/', stdio: 'ignore', ...user })
  url.port = String(port)
  await until(
    () => responds(url.href),
    (isUp) => isUp,
  )
  return {
    databaseUrl: url.href,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function responds(url: string): Promise<boolean> {
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
