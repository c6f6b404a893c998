import { dayMs, hourMs, minuteMs } from './durations.ts'

/** The distance of a time from now in one unit: `3 min ago`, `in 12 d`; a date if it is far. */
export function timeAgo(time: Date, now: Date): string {
  const ms = now.getTime() - time.getTime()
  const distance = Math.abs(ms)
  if (distance < 1_000) return 'just now'
  if (distance >= (ms > 0 ? 30 : 100) * dayMs) return time.toISOString().slice(0, 10)
  const text = inOneUnit(distance)
  return ms > 0 ? `${text} ago` : `in ${text}`
}

function inOneUnit(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / 1_000)} s`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`
  return ms < dayMs ? `${Math.floor(ms / hourMs)} h` : `${Math.floor(ms / dayMs)} d`
}
