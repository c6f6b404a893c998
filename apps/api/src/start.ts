import type { Config } from '@hosting/core/configuration'
import { isSecureRequest } from '@hosting/core/network'
import {
  listen,
  watchLiveness,
  type LivenessLimits,
  type Logger,
  type Running,
} from '@hosting/process'
import { startSampling, type SampledProcess } from '@hosting/postgres/operators'
import { hostname } from 'node:os'
import { createInternalApp, createPublicApp, signInPaths } from './app.ts'
import { lineUpSignIns } from './api/http/sign-in-line.ts'
import { findFailedChecks, neededServers } from './readiness.ts'
import { closeServices, openServices } from './open-services.ts'
import type { Problem } from '@hosting/core/problems'
import { errorMediaType, errorMembers } from './api/http/problem-document.ts'
import type { ErrorFormat } from './api/routes/route.ts'
import { publicBase, publicRoutes } from './api/routes/index.ts'
import { oauthBase } from './api/routes/oauth.ts'

/** A started API process. */
export interface RunningApi extends Running {
  readonly port: number
  readonly internalPort: number
}

/**
 * Starts the API: its public port and its internal listener.
 *
 * @param options - `liveness`: see {@link watchLiveness}.
 */
export async function startApi(
  config: Config,
  log: Logger,
  options: { liveness?: LivenessLimits } = {},
): Promise<RunningApi> {
  const services = await openServices(config, log)
  const { host } = config
  const publicApp = lineUpSignIns(createPublicApp(services), signInPaths)
  const publicListener = await listen(publicApp, {
    host,
    port: config.port,
    log,
    describeError,
    isSecureRequest: ({ socket: { remoteAddress = '' }, headers }) => {
      const forwardedProto = [headers['x-forwarded-proto']].flat()[0]
      return isSecureRequest({ socketAddress: remoteAddress, forwardedProto }, config)
    },
  })
  const self: SampledProcess = { kind: 'api', host: hostname(), pid: process.pid }
  const liveness = watchLiveness(neededServers(services), log, options.liveness)
  const internalListener = await listen(createInternalApp(services, liveness, self), {
    host,
    port: config.internalPort,
    log,
  })
  const endSampling = startSampling(services.database, self, () => ({
    ...services.counts.take(),
    oldestDueMs: null,
    failed: findFailedChecks(services),
  }))
  const { port } = publicListener
  const { port: internalPort } = internalListener
  log.info({ port, internalPort }, 'listening')
  return {
    port,
    internalPort,
    async close() {
      liveness.stop()
      services.listening.close()
      await Promise.all([publicListener.close(), internalListener.close()])
      await endSampling()
      await closeServices(services)
    },
  }
}

const formats: ReadonlyMap<string, ErrorFormat> = new Map(
  publicRoutes.flatMap(({ path, errorFormat }) =>
    errorFormat ? [[publicBase + path, errorFormat] as const] : [],
  ),
)

const isOAuthPath = (path: string): boolean =>
  path === oauthBase || path.startsWith(`${oauthBase}/`)

/** Describes an error of the public listener as the app does, which never sees the request. */
function describeError(path: string, problem: Problem) {
  const format = isOAuthPath(path) ? 'oauth' : formats.get(path)
  return { mediaType: errorMediaType(format), members: errorMembers(problem, format) }
}
