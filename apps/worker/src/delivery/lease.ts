import type { Config } from '@hosting/core'

/** A lease outlasts the longest attempt by this, in ms: for claiming it, and for recording what came of it. */
const leaseMarginMs = 5_000

/** How long a worker holds a delivery that it makes an attempt of, in ms. */
export const attemptLeaseMs = ({ attemptTimeoutMs }: Pick<Config, 'attemptTimeoutMs'>): number =>
  attemptTimeoutMs + leaseMarginMs
