import type { Express } from 'express'
import type { Services } from '../services.ts'

/** Times and logs every request of an app. Paths are logged without their query. */
export function observeRequests(app: Express, { metrics, log }: Services): void {
  app.use((req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const ms = performance.now() - startedAt
      const { operation = 'none' } = res.locals as { operation?: string }
      metrics.requestSeconds.observe({ operation, status: res.statusCode }, ms / 1_000)
      log.info(
        {
          requestId: req.id,
          method: req.method,
          path: req.originalUrl.split('?')[0],
          status: res.statusCode,
          ms: Math.round(ms * 10) / 10,
          operation,
        },
        'request',
      )
    })
    next()
  })
}
