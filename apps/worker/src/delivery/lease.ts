import type { Config } from '@hosting/core/configuration'

/** How much longer than the longest attempt a lease lasts, in ms: time to claim and to record it. */
const leaseMarginMs = 5_000

/** The duration of the lease of an attempt, in ms. */
export const attemptLeaseMs = ({ attemptTimeoutMs }: Pick<Config, 'attemptTimeoutMs'>): number =>
  attemptTimeoutMs + leaseMarginMs
