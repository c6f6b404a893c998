import { processClock, type Config } from '@hosting/core'
import { isReachable } from '@hosting/postgres'
import { listen, healthRoutes, type CheckResult, type Logger, type Running } from '@hosting/process'
import express, { type ErrorRequestHandler } from 'express'
import { startLanes, type Lanes } from './delivery/lanes.ts'
import { startDuty, type StartedDuty } from './duties/duty.ts'
import { createDuties } from './duties/index.ts'
import { operatorsRoutes } from './operators/operators-routes.ts'
import { closeServices, openServices, type Services } from './services.ts'

/** A started worker process. */
export interface RunningWorker extends Running {
  readonly internalPort: number
}

/**
 * Starts a worker: the consumers of attempts, the periodic duties, and the operators' port.
 *
 * @param options - `marginMs`: a consumer is stuck if it takes no job for this long after the
 *   timeout of an attempt.
 */
export async function startWorker(
  config: Config,
  log: Logger,
  options: { marginMs?: number } = {},
): Promise<RunningWorker> {
  const services = await openServices(config, log, options)
  const running = startLanes(services)
  const started = createDuties().map((duty) => startDuty(duty, services))
  const app = express().disable('x-powered-by')
  const readiness = () => checkReadiness(services, running, started)
  app.use(healthRoutes(services.metrics.registry, readiness))
  app.use(operatorsRoutes(services, readiness))
  app.use((_req, res) => void res.status(404).json({ status: 'not_found' }))
  app.use(respondToDefects(log))
  const listener = await listen(app, { host: config.host, port: config.internalPort, log })
  log.info({ internalPort: listener.port }, 'listening')
  return {
    internalPort: listener.port,
    async close() {
      // Stop taking jobs first. The duties stop while the attempts in progress continue.
      const drained = running.close()
      await Promise.all([drained, services.relay.close(), ...started.map(({ stop }) => stop())])
      await listener.close()
      await closeServices(services)
    },
  }
}

/**
 * Replaces the error handler of Express, which would expose the stack. Errors that Express
 * considers the client's get their 4xx status.
 */
const respondToDefects =
  (log: Logger): ErrorRequestHandler =>
  (error, _req, res, _next) => {
    const { status = 500 } = error as { status?: number }
    if (status >= 500) log.error({ err: error }, 'a request failed because of a defect')
    if (res.headersSent) res.destroy()
    else res.status(status).json({ status: status < 500 ? 'bad_request' : 'internal_error' })
  }

async function checkReadiness(
  { database, attempts, signing }: Services,
  running: Lanes,
  started: readonly StartedDuty[],
): Promise<Record<string, CheckResult>> {
  return {
    database: (await isReachable(database)) ? 'ok' : 'unavailable',
    clock: processClock.isWrong() ? 'unavailable' : 'ok',
    redis: attempts.isReady() ? 'ok' : 'unavailable',
    secrets: signing.canSign() ? 'ok' : 'unavailable',
    consumer: running.isLive('normal') ? 'ok' : 'unavailable',
    slow_consumer: running.isLive('slow') ? 'ok' : 'unavailable',
    ...checkDuties(started),
  }
}

/** The state of each duty by its name, such as `duty_relay`. */
const checkDuties = (started: readonly StartedDuty[]): Record<string, CheckResult> =>
  Object.fromEntries(
    started.map((duty) => [
      `duty_${duty.name.replaceAll('-', '_')}`,
      duty.isOverdue() ? 'unavailable' : 'ok',
    ]),
  )
