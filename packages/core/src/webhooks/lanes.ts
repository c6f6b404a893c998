/** The queues that attempts are sent from: an endpoint that lately ran out of time has one apart. */
export const lanes = ['normal', 'slow'] as const

/** A lane of {@link lanes}. */
export type Lane = (typeof lanes)[number]

/** How long an endpoint is sent to from the slow lane after an attempt that ran out of time, in ms. */
export const slowLaneMs = 120_000
