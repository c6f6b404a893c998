import type { Express } from 'express'
import type { Services } from '../services.ts'

/**
 * Times every request of an app, and logs those that failed on our side; with level `debug` all. Paths
 * are logged without their query.
 */
export function observeRequests(app: Express, { metrics, log }: Services): void {
  app.use((req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const ms = performance.now() - startedAt
      const { operation = 'none' } = res.locals as { operation?: string }
      const status = res.statusCode
      metrics.requestSeconds.observe({ operation, status }, ms / 1_000)
      const level = status >= 500 ? 'warn' : 'debug'
      if (!log.isLevelEnabled(level)) return
      const path = req.originalUrl.split('?')[0]
      log[level]({ requestId: req.id, method: req.method, path, status, ms, operation }, 'request')
    })
    next()
  })
}
