/** The lanes of attempts. Endpoints that timed out recently use `slow`. */
export const lanes = ['normal', 'slow'] as const

/** A lane of {@link lanes}. */
export type Lane = (typeof lanes)[number]

/** How long an endpoint uses the slow lane after an attempt that timed out, in ms. */
export const slowLaneMs = 120_000

/**
 * Maximum endpoints with a backlog that a process shares with the others by id. If there are more, take-due.sql returns one
 * above the limit, and `shareBacklogged` of packages/redis/src/deliveries/attempt-producer.ts shares that every endpoint
 * has a backlog.
 */
export const backloggedEndpointsMax = 1_000

/** The slots of an endpoint, by lane, from its slots in the normal lane. */
export const endpointSlotsOf = (endpointConcurrency: number): Readonly<Record<Lane, number>> => ({
  normal: endpointConcurrency,
  slow: Math.ceil(endpointConcurrency / 5),
})
