import { usePage } from './context.ts'

/** Formats a time in UTC: `2026-11-22 22:45:13.120 UTC`, with milliseconds if it is `exact`. */
export const utcTime = (time: Date, exact = false): string =>
  `${time
    .toISOString()
    .slice(0, exact ? 23 : 19)
    .replace('T', ' ')} UTC`

/**
 * A time, or a dash for null. The text is in UTC; a script shows it in the viewer's zone. The tooltip is in UTC
 * with milliseconds, and so is the text with `exact`.
 */
export function Time({ at, exact = false }: { at: Date | string | null; exact?: boolean }) {
  if (at === null) return <span class="quiet">–</span>
  const time = new Date(at)
  return (
    <time
      class="nowrap"
      datetime={time.toISOString()}
      title={utcTime(time, true)}
      data-exact={exact || undefined}
    >
      {utcTime(time, exact)}
    </time>
  )
}

/** The time zone of a page's times: UTC, or the viewer's zone once a script has replaced it. */
export const Zone = () => <span data-zone>UTC</span>

/** The time left until a moment. A script counts it down. Screen readers do not announce each change. */
export function Countdown({ to }: { to: Date | string }) {
  const time = new Date(to)
  return (
    <span role="timer" aria-live="off" data-countdown={time.toISOString()}>
      {timeLeft(time.getTime() - usePage().now.getTime())}
    </span>
  )
}

/** Formats the time left as its two largest units: `in 1 h 5 min`. */
export function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 0) return 'now'
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  return `in ${parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')}`
}

/** Formats a duration in ms. */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
