import type { Setting } from './setting.ts'
import { settings, type Config } from './settings.ts'

/** All configuration errors in one message, one per line. It contains no secrets. */
export class ConfigurationError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? '1 error' : `${faults.length} errors`}:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    )
    this.name = 'ConfigurationError'
    this.faults = faults
  }
}

/** The URL at which people reach the service, without a slash at its end. */
export const publicUrlOf = ({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>): string =>
  publicUrl ?? `http://localhost:${port}`

/** Finds errors of the configuration, each a sentence that begins with its variable. */
export type FindFaults = (config: Partial<Config>) => readonly string[]

/**
 * Reads the configuration from the environment (docs/specification/operations.md#configuration). An empty
 * variable counts as unset.
 *
 * @param findFaults - finds further errors, such as files that cannot be read. It gets the settings that are valid.
 * @throws ConfigurationError that lists all errors.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  findFaults: FindFaults = () => [],
): Config {
  const faults: string[] = []
  const values = Object.entries(settings).map(([name, setting]: [string, Setting<unknown>]) => {
    const text = env[setting.variable] || setting.fallback
    if (text === undefined) {
      if ('required' in setting) faults.push(`${setting.variable} is missing`)
      return [name, undefined]
    }
    if (setting.needs !== undefined && !env[setting.needs]) {
      faults.push(`${setting.needs} is missing: ${setting.variable} needs it`)
    }
    try {
      return [name, setting.parse(text)]
    } catch (error) {
      faults.push(`${setting.variable} ${(error as Error).message}`)
      return [name, undefined]
    }
  })
  const config = Object.fromEntries(values) as Config
  faults.push(...findFaults(config))
  if (faults.length > 0) throw new ConfigurationError(faults)
  return Object.freeze(config)
}
