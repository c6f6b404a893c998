/**
 * Converts the value of a `datetime-local` field to the API's format, read as UTC. Other text passes through
 * unchanged; the API rejects it.
 */
export const toUtcMoment = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text
