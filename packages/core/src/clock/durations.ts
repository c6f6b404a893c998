/** A minute, in ms. */
export const minuteMs = 60_000

/** An hour, in ms. */
export const hourMs = 60 * minuteMs

/** A day of 24 hours, in ms. */
export const dayMs = 24 * hourMs
