/** Formats the time left as its two largest units: `in 1 h 5 min`. */
export function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  return seconds <= 0 ? 'now' : `in ${inUnits(seconds)}`
}

/** Formats how long something lasted in its largest units, to the second: `4 min 16 s`. */
export const lastedText = (ms: number, units?: number): string =>
  ms < 1_000 ? 'less than 1 s' : inUnits(Math.round(ms / 1_000), units)

function inUnits(seconds: number, units = 2): string {
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  return parts
    .slice(first, first + units)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')
}

/** A `datetime-local` field of a GET form: with scripts, its value is in the viewer's zone, and in the URL in UTC. */
export const momentAttributes = { step: 1, 'data-moment': '' }

/**
 * Converts the value of a `datetime-local` field to the API's format, read as UTC. Other text passes through
 * unchanged; the API rejects it.
 */
export const toUtcMoment = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const [, minutes, seconds = ':00'] = fieldMoment.exec(text) ?? []
  return minutes === undefined ? text : `${minutes}${seconds}Z`
}

/** With or without seconds: browsers omit them if they are zero. */
const fieldMoment = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/

/** Converts a time of a URL to the value of a `datetime-local` field, in UTC; `undefined` if it is not a time. */
export function toFieldMoment(text: string | undefined): string | undefined {
  const ms = Date.parse(toUtcMoment(text) ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 19)
}
