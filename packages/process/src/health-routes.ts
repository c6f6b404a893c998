import { Router } from 'express'
import type { Registry } from 'prom-client'
import type { Liveness } from './liveness.ts'
import type { Logger } from './logger.ts'

/** The state of a dependency of the process. A `warning` does not affect the work. */
export type CheckResult = 'ok' | 'warning' | 'degraded' | 'unavailable'

/** Checks the dependencies of the process. */
export type Readiness = () => Promise<Readonly<Record<string, CheckResult>>>

/**
 * `/metrics` for Prometheus, `/healthz` (liveness) and `/readyz` (readiness).
 * `degraded` still returns 200.
 */
export function healthRoutes(
  registry: Registry,
  readiness: Readiness,
  liveness: Pick<Liveness, 'findReason'>,
): Router {
  const router = Router({ strict: true })
  router.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', registry.contentType)
    res.end(await registry.metrics())
  })
  router.get('/healthz', (_req, res) => {
    const reason = liveness.findReason()
    if (reason === undefined) res.json({ status: 'ok' })
    else res.status(503).json({ status: 'unavailable', reason })
  })
  router.get('/readyz', async (_req, res) => {
    const checks = await readiness()
    const status = worst(Object.values(checks))
    res.status(status === 'unavailable' ? 503 : 200).json({ status, checks })
  })
  return router
}

/** A `warning` counts as `ok`. */
function worst(results: readonly CheckResult[]): CheckResult {
  return (['unavailable', 'degraded'] as const).find((result) => results.includes(result)) ?? 'ok'
}

/**
 * The entries of `/readyz` for the settings with which PostgreSQL may lose what it has confirmed: a `warning`, or
 * `unavailable` if durability is required.
 *
 * @param lossySettings - the settings that are off.
 */
export const checkDurability = (
  lossySettings: readonly string[],
  { requireDurability }: { readonly requireDurability: boolean },
): Record<string, CheckResult> =>
  Object.fromEntries(
    lossySettings.map((name) => [
      `durability_${name}`,
      requireDurability ? 'unavailable' : 'warning',
    ]),
  )

/** A setting of PostgreSQL with which the process cannot work, and what an operator must do. */
interface WrongSetting {
  readonly name: string
  readonly sentence: string
}

/**
 * The entries of `/readyz` for settings of PostgreSQL that were changed since the start and with which the process cannot
 * work. Each is logged once, until it is right again.
 */
export function createSettingsCheck(
  log: Logger,
): (wrong: readonly WrongSetting[]) => Record<string, CheckResult> {
  let logged: ReadonlySet<string> = new Set()
  return (wrong) => {
    for (const { sentence } of wrong) if (!logged.has(sentence)) log.error(sentence)
    logged = new Set(wrong.map(({ sentence }) => sentence))
    return Object.fromEntries(
      wrong.map(({ name }) => [`setting_${name.toLowerCase()}`, 'unavailable' as const]),
    )
  }
}
