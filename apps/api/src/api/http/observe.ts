import { context } from '@opentelemetry/api'
import { redactPath } from '@hosting/process'
import type { Express } from 'express'
import type { Metrics } from '../../metrics.ts'
import type { Services } from '../services.ts'

/**
 * Measures the duration of every request of an app and logs server errors, or every request at level `debug`.
 * Paths are logged without their query.
 */
export function observeRequests(app: Express, { metrics, log }: Services): void {
  const timed = timers(metrics.requestSeconds)
  app.use((req, res, next) => {
    const startedAt = performance.now()
    const observe = (): void => {
      const ms = performance.now() - startedAt
      const { operation = 'none' } = res.locals as { operation?: string }
      const status = res.statusCode
      timed(operation, status).observe(ms / 1_000)
      const level = status >= 500 ? 'warn' : 'debug'
      if (!log.isLevelEnabled(level)) return
      const path = loggable(req.originalUrl)
      log[level]({ requestId: req.id, method: req.method, path, status, ms, operation }, 'request')
    }
    // The connection emits `close` outside the trace context of the request.
    res.once('close', context.bind(context.active(), observe))
    next()
  })
}

/** The path without its query, the user code of a device login, the token of a sign-in link and the secret of any token. */
const loggable = (url: string): string =>
  redactPath(url.split('?')[0]!.replace(/(\/device\/requests\/|\/sign-in\/link\/)[^/]+/, '$1…'))

type Timer = ReturnType<Metrics['requestSeconds']['labels']>

/** Looks each histogram up once: a lookup by labels costs more than an observation. */
function timers(
  histogram: Metrics['requestSeconds'],
): (operation: string, status: number) => Timer {
  const found = new Map<string, Map<number, Timer>>()
  return (operation, status) => {
    const ofOperation = found.get(operation) ?? new Map<number, Timer>()
    const timer = ofOperation.get(status) ?? histogram.labels({ operation, status })
    ofOperation.set(status, timer)
    found.set(operation, ofOperation)
    return timer
  }
}
