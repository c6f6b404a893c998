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
