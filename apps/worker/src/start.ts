import { processClock } from '@hosting/core/clock'
import type { Config } from '@hosting/core/configuration'
import { neededPostgres, readDatabaseState } from '@hosting/postgres/database'
import {
  listen,
  watchLiveness,
  type LivenessLimits,
  healthRoutes,
  type CheckResult,
  type Logger,
  type Running,
  checkDurability,
  type Readiness,
} from '@hosting/process'
import { startSampling, type SampledProcess } from '@hosting/postgres/operators'
import { neededRedis, redisTopologyOf } from '@hosting/redis'
import express, { type ErrorRequestHandler, Router, type RequestHandler } from 'express'
import { startLanes, type Lanes } from './delivery/lanes.ts'
import { startDuty, type StartedDuty } from './duties/duty.ts'
import { createDuties } from './duties/index.ts'
import { hostname } from 'node:os'
import { closeServices, openServices, type Services } from './services.ts'
import { operatorsRoutes } from '@hosting/html/operators'
import type { queueBoard } from './operators/queue-board.ts'

/** A started worker process. */
export interface RunningWorker extends Running {
  readonly internalPort: number
}

/**
 * Starts a worker: the consumers of attempts, the periodic duties, and the operators' port.
 *
 * @param options - `marginMs`: a consumer is stuck if it takes no job for this long after the
 *   timeout of an attempt. `liveness`: see {@link watchLiveness}.
 */
export async function startWorker(
  config: Config,
  log: Logger,
  options: { marginMs?: number; liveness?: LivenessLimits } = {},
): Promise<RunningWorker> {
  const services = await openServices(config, log, options)
  const running = startLanes(services)
  const started = createDuties({ isMailing: services.mailServer !== undefined }).map((duty) =>
    startDuty(duty, services),
  )
  const app = express().disable('x-powered-by')
  const readiness = () => checkReadiness(services, running, started)
  const liveness = watchLiveness(neededServers(services, running), log, options.liveness)
  app.use(healthRoutes(services.metrics.registry, readiness, liveness))
  const self: SampledProcess = { kind: 'worker', host: hostname(), pid: process.pid }
  app.use(workerOperators(services, readiness, self))
  app.use((_req, res) => void res.status(404).json({ status: 'not_found' }))
  app.use(respondToDefects(log))
  const listener = await listen(app, { host: config.host, port: config.internalPort, log })
  const endSampling = startSampling(services.database, self, () => ({
    ...services.counts.take(),
    oldestDueMs: services.relay.oldestDueMs(),
    failed: findFailedChecks(services, running, started),
  }))
  log.info({ internalPort: listener.port }, 'listening')
  return {
    internalPort: listener.port,
    async close() {
      liveness.stop()
      // Stop taking jobs first. The duties stop while the attempts in progress continue.
      const drained = running.close()
      await Promise.all([drained, services.relay.close(), ...started.map(({ stop }) => stop())])
      await listener.close()
      await endSampling()
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

/** The servers that the worker needs, for its liveness. */
const neededServers = ({ config, database, attempts, gate }: Services, running: Lanes) => [
  neededPostgres(database),
  neededRedis(redisTopologyOf(config), [attempts, gate, running]),
]

async function checkReadiness(
  { config, database, attempts, signing, relay, checkSettings }: Services,
  running: Lanes,
  started: readonly StartedDuty[],
): Promise<Record<string, CheckResult>> {
  const [state, isRedisUp, takesJobs, takesSlowJobs] = await Promise.all([
    readDatabaseState(database),
    attempts.responds(),
    running.isLive('normal'),
    running.isLive('slow'),
  ])
  const okIf = (isOk: boolean): CheckResult => (isOk ? 'ok' : 'unavailable')
  return {
    database: okIf(state.isReachable),
    database_writable: okIf(state.isWritable),
    clock: okIf(!processClock.isWrong()),
    redis: okIf(isRedisUp),
    secrets: okIf(signing.canSign()),
    records: okIf(running.canRecord()),
    consumer: okIf(takesJobs),
    slow_consumer: okIf(takesSlowJobs),
    ...checkDurability(state.lossySettings, config),
    ...checkSettings(state.wrongSettings),
    ...checkDuties(started),
    ...(!relay.hasSwept() && { duty_relay: 'unavailable' }),
  }
}

/** The checks that fail as far as the process knows without asking PostgreSQL or Redis. */
function findFailedChecks(
  { attempts, signing, relay, watch }: Services,
  running: Lanes,
  started: readonly StartedDuty[],
): string[] {
  const failed = {
    clock: processClock.isWrong(),
    redis: !attempts.isReady(),
    secrets: !signing.canSign(),
    records: !running.canRecord(),
    consumer: watch.isStuck('normal'),
    slow_consumer: watch.isStuck('slow'),
    duty_relay: !relay.hasSwept(),
  }
  const overdue = Object.entries(checkDuties(started)).filter(([, result]) => result !== 'ok')
  const names = Object.entries(failed).filter(([, hasFailed]) => hasFailed)
  return [...new Set([...names, ...overdue].map(([name]) => name))]
}

/** The state of each duty by its name, such as `duty_relay`. */
const checkDuties = (started: readonly StartedDuty[]): Record<string, CheckResult> =>
  Object.fromEntries(
    started.map((duty) => [
      `duty_${duty.name.replaceAll('-', '_')}`,
      duty.isOverdue() ? 'unavailable' : 'ok',
    ]),
  )

/** The pages for operators on a worker, with Bull Board. Without `OPS_TOKEN` they do not exist. */
export function workerOperators(
  services: Services,
  readiness: Readiness,
  process: SampledProcess,
): Router {
  const { queueReader, attempts, auditSealer, mayRewriteAuditLog, mail } = services
  if (!queueReader) return Router()
  const worker = {
    queueReader,
    audit: () => ({ mayRewrite: mayRewriteAuditLog, broken: auditSealer.broken.size }),
    mailFailure: () => mail.failure,
  }
  const board = loadBoard(queueReader, () => attempts.isReady())
  return operatorsRoutes({ ...services, process, worker }, readiness, board)
}

/** Loads Bull Board with the first request for it: most workers are never asked, and it takes several MB. */
function loadBoard(...options: Parameters<typeof queueBoard>): RequestHandler {
  let board: Promise<Router> | undefined
  return async (req, res, next) => {
    board ??= import('./operators/queue-board.ts').then(({ queueBoard }) => queueBoard(...options))
    const serve = await board
    serve(req, res, next)
  }
}
