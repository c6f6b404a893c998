import type { Setting } from './setting.ts'
import { settings, type Config } from './settings.ts'

/** All configuration errors in one message, one per line. It contains no secrets. */
export class ConfigurationError extends Error {
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    super(
      `The configuration has ${errors.length === 1 ? '1 error' : `${errors.length} errors`}:\n${errors.map((f) => `  ${f}`).join('\n')}`,
    )
    this.name = 'ConfigurationError'
    this.errors = errors
  }
}

/** The URL at which people reach the service, without a slash at its end. */
export const publicUrlOf = ({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>): string =>
  publicUrl ?? `http://localhost:${port}`

/** Finds errors of the configuration, each a sentence that begins with its variable. */
export type FindConfigErrors = (config: Partial<Config>) => readonly string[]

/**
 * Reads the configuration from the environment (docs/specification/operations.md#configuration). An empty
 * variable counts as unset.
 *
 * @param findErrors - finds further errors, such as files that cannot be read. It gets the settings that are valid.
 * @throws ConfigurationError that lists all errors.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  findErrors: FindConfigErrors = () => [],
): Config {
  const errors: string[] = []
  const values = Object.entries(settings).map(([name, setting]: [string, Setting<unknown>]) => {
    const text = env[setting.variable] || setting.fallback
    if (text === undefined) {
      if ('required' in setting) errors.push(`${setting.variable} is missing`)
      return [name, undefined]
    }
    if (setting.needs !== undefined && !env[setting.needs]) {
      errors.push(`${setting.needs} is missing: ${setting.variable} needs it`)
    }
    try {
      return [name, setting.parse(text)]
    } catch (error) {
      errors.push(`${setting.variable} ${(error as Error).message}`)
      return [name, undefined]
    }
  })
  const config = Object.fromEntries(values) as Config
  errors.push(...findRedisErrors(config), ...findErrors(config))
  if (errors.length > 0) throw new ConfigurationError(errors)
  return Object.freeze(config)
}

/** The path of the URL is a database with a single Redis, but the name of the master with Sentinels. */
function findRedisErrors({ redisNodes, redisMode }: Partial<Config>): readonly string[] {
  const paths = redisNodes?.reveal().map((node) => new URL(node).pathname) ?? []
  if (redisMode === 'single' && paths.some((path) => !/^\/?\d*$/.test(path))) {
    return ['REDIS_URL must have no path, or the number of a database, with REDIS_MODE=single']
  }
  if (redisMode === 'cluster' && paths.some((path) => !/^\/?0?$/.test(path))) {
    return ['REDIS_URL must have no path with REDIS_MODE=cluster: a cluster has one database']
  }
  return []
}
