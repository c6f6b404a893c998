/**
 * The address of an endpoint in its URL: host, port and path. The query and a user name may be secret, so they are not
 * part of it. JavaScript and PostgreSQL read the expression alike.
 */
export const endpointAddressPattern = '^[a-zA-Z]+://(?:[^/?#@]*@)?([^/?#]+(?:/+[^/?#]+)*)'

/** The name of an endpoint whose URL is no longer known. */
const deletedEndpointName = 'Deleted endpoint'

/** What names an endpoint. */
export interface EndpointNameFacts {
  readonly url: string
  readonly description: string | null
}

/** The address of an endpoint without its scheme: `hooks.example.com:8443/billing`. */
export const endpointAddress = (url: string): string | undefined =>
  new RegExp(endpointAddressPattern).exec(url)?.[1]

/**
 * The one name of an endpoint, in the panel, in `hctl`, in notices and on the operators' page: its description, or else
 * its address without the scheme (docs/specification/webhooks.md#name).
 */
export const endpointName = ({ url, description }: EndpointNameFacts): string =>
  description?.replaceAll(/\s+/g, ' ').trim() || (endpointAddress(url) ?? deletedEndpointName)

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
