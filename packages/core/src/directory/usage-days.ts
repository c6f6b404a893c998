import { validationFailed } from '../problems/problem.ts'
import { usageDaysDefault, usageDaysMax, usageKeptDays } from './limits.ts'
import { dayMs } from '../clock/durations.ts'

/** The first and the last day, in UTC, `YYYY-MM-DD`. */
export interface DayRange {
  readonly since: string
  readonly until: string
}

const toDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Decides which days of an organization's usage are read. @throws Problem `validation_failed` */
export function decideUsageDays(query: Partial<DayRange>, nowMs: number): DayRange {
  const until = query.until ?? toDate(nowMs)
  const since = query.since ?? toDate(Date.parse(until) - (usageDaysDefault - 1) * dayMs)
  const days = (Date.parse(until) - Date.parse(since)) / dayMs + 1
  if (days < 1) throw validationFailed({ pointer: '/until', message: 'must not be before since' })
  if (days > usageDaysMax) {
    throw validationFailed({
      pointer: '/since',
      message: `must be at most ${usageDaysMax - 1} days before until`,
    })
  }
  if (since < toDate(nowMs - usageKeptDays * dayMs)) {
    throw validationFailed({
      pointer: '/since',
      message: `must be at most ${usageKeptDays} days ago: earlier counts are not kept`,
    })
  }
  return { since, until }
}
