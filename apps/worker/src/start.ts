import type { Config } from '@hosting/core'
import { isReachable } from '@hosting/postgres'
import {
  listen,
  operationsRoutes,
  type CheckResult,
  type Logger,
  type Running,
} from '@hosting/process'
import { consumeAttempts, type AttemptConsumer } from '@hosting/redis'
import express from 'express'
import { createAttempter } from './delivery/attempt.ts'
import { startDuty } from './duties/duty.ts'
import { duties } from './duties/index.ts'
import { closeServices, openServices, type Services } from './services.ts'

/** A worker process that has started. */
export interface RunningWorker extends Running {
  readonly internalPort: number
}

/** Starts a worker: the consumer of attempts, the periodic duties, and the port for operators. */
export async function startWorker(config: Config, log: Logger): Promise<RunningWorker> {
  const services = await openServices(config, log)
  const consumer = startConsumer(services)
  const started = duties.map((duty) => startDuty(duty, services))
  const app = express().disable('x-powered-by')
  app.use(operationsRoutes(services.metrics.registry, () => checkReadiness(services, consumer)))
  app.use((_req, res) => void res.status(404).json({ status: 'not_found' }))
  const listener = await listen(app, { host: config.host, port: config.internalPort })
  log.info({ internalPort: listener.port }, 'listening')
  return {
    internalPort: listener.port,
    async close() {
      await Promise.all(started.map(({ stop }) => stop()))
      await consumer.close()
      await listener.close()
      await closeServices(services)
    },
  }
}

function startConsumer(services: Services): AttemptConsumer {
  const { config, log, metrics } = services
  const attempt = createAttempter(services)
  return consumeAttempts(
    { nodes: config.redisNodes.reveal(), mode: config.redisMode },
    async (job) => {
      metrics.inHand.inc()
      try {
        await attempt(job)
      } finally {
        metrics.inHand.dec()
      }
    },
    {
      concurrency: config.workerConcurrency,
      onError: (error) => log.warn({ err: error }, 'the consumer met an error'),
    },
  )
}

async function checkReadiness(
  { database, attempts }: Services,
  consumer: AttemptConsumer,
): Promise<Record<string, CheckResult>> {
  return {
    database: (await isReachable(database)) ? 'ok' : 'unavailable',
    redis: attempts.isReady() ? 'ok' : 'unavailable',
    consumer: consumer.isLive() ? 'ok' : 'unavailable',
  }
}
