import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { requireDebianProgram } from '../../../tools/local-stack/debian-package.ts'
import { freePort } from '../../../tools/local-stack/free-port.ts'
import { until } from '../../support/until.ts'

/** A server behind the proxy. */
export interface ProxiedServer {
  readonly port: number
  /** Whether the proxy may lead to it. */
  isPrimary(): Promise<boolean>
}

/** A running HAProxy. */
export interface Haproxy {
  readonly port: number
  stop(): Promise<void>
}

const program = '/usr/sbin/haproxy'

/**
 * Starts an HAProxy that leads connections to every server that says it is the primary, and ends those to servers that
 * are not, as docs/operations.md describes.
 */
export async function startHaproxy(
  directory: string,
  servers: readonly ProxiedServer[],
): Promise<Haproxy> {
  await requireDebianProgram(program, 'haproxy')
  const agents = await Promise.all(servers.map(startAgent))
  const port = await freePort()
  const file = join(directory, 'haproxy.cfg')
  await writeFile(file, configOf(port, servers, agents))
  const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await until(
    async () => isOpen(port),
    (isThere) => isThere,
  )
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await ended
      for (const { server } of agents) server.close()
    },
  }
}

interface Agent {
  readonly port: number
  readonly server: http.Server
}

/** Answers 200 if a server is the primary, as the REST API of Patroni does. */
async function startAgent({ isPrimary }: ProxiedServer): Promise<Agent> {
  const server = http.createServer((_request, response) => {
    void isPrimary()
      .catch(() => false)
      .then((isIt) => response.writeHead(isIt ? 200 : 503, { connection: 'close' }).end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

const configOf = (
  port: number,
  servers: readonly ProxiedServer[],
  agents: readonly Agent[],
): string =>
  `
defaults
  mode tcp
  timeout connect 2s
  timeout check 20s
  timeout client 1h
  timeout server 1h
frontend postgres
  bind 127.0.0.1:${port}
  default_backend primary
backend primary
  option httpchk GET /
  http-check expect status 200
  default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.map((server, index) => `  server s${index} 127.0.0.1:${server.port} check port ${agents[index]!.port}\n`).join('')}`

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
