import type { ResponseOf } from '@hosting/sdk'
import type { Columns } from '../terminal/table.ts'
import { formatDuration, formatPreciseTime } from '../terminal/text.ts'
import { explainFailure, resultLabel } from './outcomes.ts'

type Delivery = ResponseOf<'/webhook-deliveries/{id}', 'get'>['delivery']

interface Entry {
  readonly number: number
  readonly time: string
  readonly result: string
  readonly duration: string
}

/** The columns of the timeline; each heading is short, so the table fits any terminal. */
export const timelineColumns: Columns<Entry> = {
  attempt: ({ number }) => number,
  time: ({ time }) => time,
  result: ({ result }) => result,
  duration: ({ duration }) => duration,
}

/** The attempts of a delivery in order, and the next one if it is scheduled. */
export function toTimeline(delivery: Delivery, nowMs: number): Entry[] {
  const { attempts, next_attempt_at: next, attempt_count: count } = delivery
  const past = attempts.map((attempt) => ({
    number: attempt.number,
    time: formatPreciseTime(attempt.started_at),
    result: resultLabel(attempt),
    duration: `${attempt.duration_ms} ms`,
  }))
  if (next === null) return past
  const result = `due ${describeWait(Date.parse(next) - nowMs)}`
  const upcoming = { number: count + 1, time: formatPreciseTime(next), result, duration: '' }
  return [...past, upcoming]
}

const describeWait = (ms: number): string => (ms <= 0 ? 'now' : `in ${formatDuration(ms)}`)

/** What the last failure means and what to do; none unless the last attempt failed. */
export function explainLastFailure({ attempts }: Delivery): string[] {
  const last = attempts.at(-1)
  if (!last || last.error_class === null) return []
  const [meaning, advice] = explainFailure(last)
  if (meaning === undefined || advice === undefined) return []
  return [`Last failure (${resultLabel(last)}): ${meaning}`, `What to do: ${advice}`]
}
