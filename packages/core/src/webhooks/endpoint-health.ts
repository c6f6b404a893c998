/** From this failure rate on, a healthy endpoint is called unstable (docs/specification/webhooks.md#health). */
export const unstableFailureRate = 0.05

/** What decides the word for the health of an endpoint. */
export interface HealthFacts {
  readonly enabled: boolean
  readonly health: {
    /** `unknown`, `healthy` or `failing`. */
    readonly state: string
    readonly failure_rate: number | null
  }
}

/** The one word for the health of an endpoint, in the panel, in `hctl` and in emails. */
export function healthLabelOf({ enabled, health: { state, failure_rate: rate } }: HealthFacts) {
  if (!enabled) return 'Disabled'
  if (state === 'failing') return 'Failing'
  if (rate !== null && rate >= unstableFailureRate) return 'Unstable'
  return state === 'unknown' && rate === null ? 'No attempts yet' : 'Healthy'
}
