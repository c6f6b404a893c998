import { join } from 'node:path'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { startPooler, type Pooler } from './pooler.ts'

/**
 * Starts a Pgpool-II in front of a primary and its standbys, with the setting that docs/operations.md names.
 *
 * @param servers - the URLs of the servers; the first one is the primary.
 * @param checkUser - a user without a password, as which it finds the primary.
 */
export function startPgpool(
  servers: readonly [string, ...string[]],
  checkUser: string,
): Promise<Pooler> {
  return startPooler(servers[0], {
    program: '/usr/sbin/pgpool',
    debianPackage: 'pgpool2',
    endSignal: 'SIGINT',
    args: ({ folder }) => {
      const file = (name: string) => join(folder, name)
      return ['-n', '-f', file('pgpool.conf'), '-a', file('pool_hba.conf'), '-F', file('pcp.conf')]
    },
    async files({ folder, port }) {
      const backends = servers.flatMap((server, index): [string, string][] => [
        [`backend_hostname${index}`, '127.0.0.1'],
        [`backend_port${index}`, new URL(server).port],
      ])
      const settings: Readonly<Record<string, string>> = {
        backend_clustering_mode: 'streaming_replication',
        load_balance_mode: 'off',
        ...Object.fromEntries(backends),
        sr_check_user: checkUser,
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
      return {
        'pgpool.conf': lines.join('\n'),
        'pool_hba.conf': '',
        'pcp.conf': '',
        pool_passwd: '',
      }
    },
  })
}
