/**
 * What a browser's field for date and time holds, as the API takes it: read as UTC. What is something else
 * is left as it is, for the API to refuse.
 */
export const toUtcMoment = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text
