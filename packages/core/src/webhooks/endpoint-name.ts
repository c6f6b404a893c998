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
