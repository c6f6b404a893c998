import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { stopLeftover, type Leftover } from '../local-stack/leftover.ts'
import type { RunningServer } from '../local-stack/server.ts'
import { startServer } from '../local-stack/start-server.ts'
import { root } from '../run.ts'
import type { Lifetime } from './lifetime.ts'
import { rememberedPort } from './remembered-port.ts'
import { say } from './say.ts'
import { startTogether } from './together.ts'
import { lookup } from 'node:dns/promises'

type ServiceId = 'api' | 'worker'

interface ServiceOptions {
  readonly directory: string
  readonly environment: NodeJS.ProcessEnv
}

/** The URLs of the service's processes. */
export interface Services {
  readonly apiUrl: string
  readonly internalUrl: string
  readonly workerUrl: string
}

/** Stops the processes that an earlier, killed run left behind. */
export async function stopLeftoverServices(directory: string): Promise<void> {
  for (const id of ['worker', 'api'] as const)
    await stopLeftover(await leftover(id, directory), say)
}

/** Starts an API process, then a worker process; resolves once both are ready. */
export async function startServices(
  lifetime: Lifetime,
  options: ServiceOptions,
): Promise<Services> {
  const host = await findPublicHost()
  const [api] = await startTogether(lifetime, [startApi(lifetime, { ...options, host })])
  // The worker's mails link to the panel.
  const environment = { ...options.environment, PUBLIC_URL: api.url() }
  const [worker] = await startTogether(lifetime, [
    startWorker(lifetime, { ...options, environment }),
  ])
  return { apiUrl: api.url(), internalUrl: api.internalUrl, workerUrl: worker.url() }
}

async function startApi(
  { signal }: Lifetime,
  { directory, environment, host }: ServiceOptions & { readonly host: PublicHost },
): Promise<RunningServer & { internalUrl: string }> {
  let internalUrl = ''
  const server = await startServer({
    ...(await service('api', directory)),
    name: 'The API',
    toUrl: (port) => `http://${host}:${port}`,
    preferredPort: 8080,
    async toEnvironment(port) {
      // Repeated together with the port search, because another start may have taken the port.
      const file = join(directory, 'api-internal.port')
      const internalPort = await rememberedPort(file, 8081, 'The internal API')
      internalUrl = localUrl(internalPort)
      return {
        ...environment,
        PORT: String(port),
        INTERNAL_PORT: String(internalPort),
        PUBLIC_URL: `http://${host}:${port}`,
      }
    },
    ping: () => requireReady('api', directory, internalUrl),
    signal,
  })
  return { ...server, internalUrl }
}

async function startWorker(
  { signal }: Lifetime,
  { directory, environment }: ServiceOptions,
): Promise<RunningServer> {
  return await startServer({
    ...(await service('worker', directory)),
    name: 'The worker',
    preferredPort: 8082,
    toEnvironment: (port) => Promise.resolve({ ...environment, INTERNAL_PORT: String(port) }),
    ping: (url) => requireReady('worker', directory, url),
    signal,
  })
}

async function service(id: ServiceId, directory: string) {
  const known = await leftover(id, directory)
  return {
    ...known,
    id,
    directory,
    data: root,
    command: process.execPath,
    toArguments: () => [known.argument],
    toUrl: localUrl,
    writesNoPidFile: true,
    log: say,
  }
}

async function leftover(id: ServiceId, directory: string): Promise<Leftover> {
  return {
    pidFile: join(directory, `${id}.pid`),
    argument: join(await realpath(root), `apps/${id}/dist/bundle/main.js`),
    // Draining takes at most 18 s.
    stopSignals: [
      ['SIGTERM', 20_000],
      ['SIGKILL', 5_000],
    ],
  }
}

async function requireReady(id: ServiceId, directory: string, url: string): Promise<void> {
  // Otherwise the response could be from another checkout, which took the port just before.
  const log = await readFile(join(directory, `${id}.log`), 'utf8')
  if (!log.includes('"msg":"listening"')) throw new Error('it does not listen yet')
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })
  const { status, checks } = (await response.json()) as { status: string; checks: unknown }
  if (status !== 'ok') throw new Error(`it is not ready: ${JSON.stringify(checks)}`)
}

function localUrl(port: number): string {
  return `http://127.0.0.1:${port}`
}

/** The host names under which people can reach the API of `npm start`, which listens on 127.0.0.1. */
type PublicHost = 'localhost' | '127.0.0.1'

/**
 * `localhost`, for which browsers allow passkeys, if it resolves only to loopback addresses and to that of the API;
 * otherwise the address, for which they do not.
 *
 * @param resolve - returns the addresses of a name.
 */
export async function findPublicHost(
  resolve: (name: string) => Promise<readonly { readonly address: string }[]> = (name) =>
    lookup(name, { all: true }),
): Promise<PublicHost> {
  const found = await resolve('localhost').catch(() => [])
  const addresses = found.map(({ address }) => address)
  const isLoopback = addresses.every((address) => address === '::1' || address.startsWith('127.'))
  return isLoopback && addresses.includes('127.0.0.1') ? 'localhost' : '127.0.0.1'
}
