import { timeAgo } from '@hosting/core/clock'
import { usePage } from './context.ts'
import { timeLeft } from './moments.ts'

/** Formats a time in UTC: `2026-11-22 22:45:13.120 UTC`, with milliseconds if it is `exact`. */
export const utcTime = (time: Date, exact = false): string =>
  `${time
    .toISOString()
    .slice(0, exact ? 23 : 19)
    .replace('T', ' ')} UTC`

/**
 * A time, or a dash for null. The text is in UTC; a script shows it in the viewer's zone. The tooltip is in UTC
 * with milliseconds, and so is the text with `exact`. The text of a `brief` time has no zone, which the page names once, and
 * no seconds if it is brief to `minutes`.
 */
export function Time({
  at,
  exact = false,
  brief = false,
}: {
  at: Date | string | null
  exact?: boolean
  brief?: boolean | 'minutes'
}) {
  if (at === null) return <span class="quiet">–</span>
  const time = new Date(at)
  return (
    <time
      class="nowrap"
      datetime={time.toISOString()}
      title={utcTime(time, true)}
      data-exact={exact || undefined}
      data-brief={brief || undefined}
    >
      {brief ? utcTime(time).slice(0, brief === 'minutes' ? 16 : 19) : utcTime(time, exact)}
    </time>
  )
}

/**
 * A time of a list, or a dash for null, by its distance from now. The exact time is in the tooltip and for screen
 * readers: in UTC, and with a script in the viewer's zone.
 */
export function Ago({ at }: { at: Date | string | null }) {
  const { now } = usePage()
  if (at === null) return <span class="quiet">–</span>
  const time = new Date(at)
  return (
    <time class="ago" datetime={time.toISOString()} title={utcTime(time, true)} data-ago>
      <span>{timeAgo(time, now)}</span>
      <span class="visually-hidden">, {utcTime(time)}</span>
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

/** Formats a duration in ms. */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
