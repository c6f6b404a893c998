import { join } from 'node:path'
import { startPooler, type Pooler } from './pooler.ts'

/** A running PgBouncer. */
export type Pgbouncer = Pooler

/** The maximum number of its connections to a database. Less than the clients have in total. */
export const poolSize = 15

/**
 * Starts a PgBouncer in front of the PostgreSQL at `serverUrl`, with the same user and password.
 *
 * @param settings - lines of its configuration. By default it is in transaction mode.
 */
export function startPgbouncer(
  serverUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pgbouncer> {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl)
  const [name, secret] = [username, password].map(decodeURIComponent)
  return startPooler(serverUrl, {
    program: '/usr/sbin/pgbouncer',
    debianPackage: 'pgbouncer',
    endSignal: 'SIGKILL',
    args: ({ folder }) => ['--quiet', join(folder, 'pgbouncer.ini')],
    files: async ({ folder, port }) => ({
      'pgbouncer.ini': [
        '[databases]',
        `* = host=${hostname} port=${serverPort || 5432}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        `auth_type = ${password === '' ? 'trust' : 'plain'}`,
        `auth_file = ${join(folder, 'users.txt')}`,
        'max_client_conn = 1000',
        `default_pool_size = ${poolSize}`,
        ...Object.entries({ pool_mode: 'transaction', ...settings }).map((line) =>
          line.join(' = '),
        ),
      ].join('\n'),
      'users.txt': `"${name}" "${secret}"\n`,
    }),
  })
}
