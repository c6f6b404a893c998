import { usePage } from './context.ts'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** Formats a time relative to now. */
export function relativeTime(time: Date, now: Date): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1_000)
  const [unit, length] = units.find((entry) => Math.abs(seconds) >= entry[1]) ?? []
  if (unit === undefined) return seconds > 0 ? 'in less than a minute' : 'just now'
  return relative.format(Math.trunc(seconds / length), unit)
}

/** Formats a time in UTC. */
export const utcTime = (time: Date): string =>
  `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** A time, relative to now or, with `exact`, in UTC; a dash for null. */
export function Time({ at, exact = false }: { at: Date | string | null; exact?: boolean }) {
  const { now } = usePage()
  if (at === null) return <span class="quiet">–</span>
  const time = new Date(at)
  return (
    <time
      class="nowrap"
      datetime={time.toISOString()}
      title={exact ? relativeTime(time, now) : utcTime(time)}
    >
      {exact ? utcTime(time) : relativeTime(time, now)}
    </time>
  )
}

/** Formats a duration in ms. */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
