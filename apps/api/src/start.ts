import { isSecureRequest, type Config } from '@hosting/core'
import { listen, type Logger, type Running } from '@hosting/process'
import { createInternalApp, createPublicApp, signInPaths } from './app.ts'
import { lineUpSignIns } from './http/sign-in-line.ts'
import { closeServices, openServices } from './services.ts'

/** A started API process. */
export interface RunningApi extends Running {
  readonly port: number
  readonly internalPort: number
}

/** Starts the API: its public port and its internal listener. */
export async function startApi(config: Config, log: Logger): Promise<RunningApi> {
  const services = await openServices(config, log)
  const { host } = config
  const publicApp = lineUpSignIns(createPublicApp(services), signInPaths)
  const publicListener = await listen(publicApp, {
    host,
    port: config.port,
    log,
    isSecureRequest: ({ socket: { remoteAddress = '' }, headers }) => {
      const forwardedProto = [headers['x-forwarded-proto']].flat()[0]
      return isSecureRequest({ socketAddress: remoteAddress, forwardedProto }, config)
    },
  })
  const internalListener = await listen(createInternalApp(services), {
    host,
    port: config.internalPort,
    log,
  })
  const { port } = publicListener
  const { port: internalPort } = internalListener
  log.info({ port, internalPort }, 'listening')
  return {
    port,
    internalPort,
    async close() {
      services.listening.close()
      await Promise.all([publicListener.close(), internalListener.close()])
      await closeServices(services)
    },
  }
}
