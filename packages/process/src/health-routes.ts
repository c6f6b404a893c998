import { Router } from 'express'
import type { Registry } from 'prom-client'

/** The state of a dependency of the process. */
export type CheckResult = 'ok' | 'degraded' | 'unavailable'

/** Checks the dependencies of the process. */
export type Readiness = () => Promise<Readonly<Record<string, CheckResult>>>

/**
 * `/metrics` for Prometheus, `/healthz` (liveness) and `/readyz` (readiness).
 * `degraded` still returns 200.
 */
export function healthRoutes(registry: Registry, readiness: Readiness): Router {
  const router = Router({ strict: true })
  router.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', registry.contentType)
    res.end(await registry.metrics())
  })
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  router.get('/readyz', async (_req, res) => {
    const checks = await readiness()
    const status = worst(Object.values(checks))
    res.status(status === 'unavailable' ? 503 : 200).json({ status, checks })
  })
  return router
}

function worst(results: readonly CheckResult[]): CheckResult {
  return (['unavailable', 'degraded'] as const).find((result) => results.includes(result)) ?? 'ok'
}
