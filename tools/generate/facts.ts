import { loadConfig } from '@hosting/core/configuration'

/** `86,400` */
export const count = (value: number): string => value.toLocaleString('en-US')

/** `10 s` */
export const seconds = (ms: number): string => `${count(ms / 1_000)} s`

/** `5 minutes` */
export const minutes = (ms: number): string => `${ms / 60_000} minutes`

/** `a, b and c` */
export const listOf = (items: readonly string[], last = 'and'): string =>
  items.join(', ').replace(/, (?=[^,]*$)/, ` ${last} `)

/** What a service without settings does. */
export const defaults = loadConfig({
  DATABASE_URL: 'postgresql://127.0.0.1/none',
  REDIS_URL: 'redis://127.0.0.1',
})

const { retryDelaysMs } = defaults

/** The delays before the retries: `1 min`. */
export const retryDelays = retryDelaysMs.map((ms) => {
  if (ms < 60_000) return seconds(ms)
  return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
})

/** How long a delivery is retried, in hours. */
export const retryHours = Math.round(retryDelaysMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000)
