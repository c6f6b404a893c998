import type { CountUpTo } from '@hosting/postgres/operators'

/** A duration in ms as readable text. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [days, hours, minutes] = [86_400, 3_600, 60].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ]
  if (days > 0) return `${days} d ${hours % 24} h`
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/** A number with thousands separators. */
export const number = (value: number): string => value.toLocaleString('en')

/** A count that may have stopped at its limit. */
export const upTo = ({ count, isMore }: CountUpTo): string =>
  isMore ? `more than ${number(count)}` : number(count)

/** The word for a number of endpoints. */
export const endpointNoun = (count: number): string => (count === 1 ? 'endpoint' : 'endpoints')

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size in bytes as readable text. */
export function size(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1_024 ** power
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[power]}`
}

/** A time in UTC, with seconds. */
export const utc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
