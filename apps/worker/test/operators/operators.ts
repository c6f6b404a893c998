import { createLogger, listen, type CheckResult } from '@hosting/process'
import express from 'express'
import { testConfig } from '../../../../test/support/environment.ts'
import { workerOperators } from '../../src/start.ts'
import { closeServices, openServices, type Services } from '../../src/services.ts'

/** The `OPS_TOKEN` of tests, which has characters outside ASCII. */
export const opsToken = 'ops-tökén-of-tests'

/** An `Authorization` header of HTTP Basic. */
export const basic = (password: string, name = 'anybody'): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

/**
 * The operators' pages over HTTP, without the duties and consumers of a worker, which would change
 * the content.
 */
export interface Operators {
  readonly url: string
  readonly services: Services
  get(path: string): Promise<Response>
  close(): Promise<void>
}

/** The process that serves the pages. */
const seenBy = { kind: 'worker', host: 'worker-1', pid: 41 } as const

/** Serves the operators' pages for these servers. */
export async function openOperators(
  servers: { DATABASE_URL: string; REDIS_URL: string },
  checks?: Readonly<Record<string, CheckResult>>,
): Promise<Operators> {
  const config = testConfig({ ...servers, OPS_TOKEN: opsToken })
  const services = await openServices(config, createLogger('worker', 'silent'))
  const pages = await serveOperators(services, checks)
  return {
    ...pages,
    services,
    async close() {
      await pages.close()
      await closeServices(services)
    },
  }
}

/** Serves the operators' pages of a worker. */
export async function serveOperators(
  services: Services,
  checks: Readonly<Record<string, CheckResult>> = { database: 'ok' },
): Promise<Omit<Operators, 'services'>> {
  const app = express()
    .disable('x-powered-by')
    .use(workerOperators(services, () => Promise.resolve(checks), seenBy))
  const listener = await listen(app, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${listener.port}`
  return {
    url,
    get: (path) => fetch(url + path, { headers: { authorization: basic(opsToken) } }),
    close: () => listener.close(),
  }
}
