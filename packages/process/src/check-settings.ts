import type { CheckResult } from './health-routes.ts'
import type { Logger } from './logger.ts'

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
