import ipaddr from 'ipaddr.js'
import {
  networkContains,
  networkContainsNetwork,
  parseAddress,
  parseNetwork,
  type Address,
  type Network,
} from './networks.ts'

/**
 * Decides to which addresses the service may connect for a customer, to send webhooks or to read the keys of workload
 * issuers: the protection against server-side request forgery (SSRF).
 */
export interface AddressPolicy {
  /**
   * Whether a connection to the address is permitted.
   *
   * @param address - IPv4 or IPv6, without brackets.
   * @param reach - `public`: public addresses and the allowed networks; `allowed-only`: only the allowed
   *   networks, for URLs that need them (`http:`, or a host without a dot).
   */
  permits(address: string, reach: Reach): boolean
  /** Whether any private network is allowed. If so, `http:` and names without a dot are allowed, too. */
  readonly allowsPrivate: boolean
}

/** The addresses that a URL may connect to; see {@link AddressPolicy.permits}. */
export type Reach = 'public' | 'allowed-only'

/**
 * Creates the policy of this installation (docs/specification/webhooks.md#addresses). `own-networks.ts` finds its own
 * networks. ipaddr.js knows the non-public ranges; packages/core/test/network/special-purpose.ts lists them all.
 * `guarded-agents.ts` in packages/process enforces the policy for webhooks and, by `read-json.ts`, for workload issuers.
 * The egress policy of the Helm chart excludes private ranges by itself: `hosting.publicAddresses` of
 * deploy/helm/hosting-control/templates/_helpers.tpl (test/deploy/network-policies.test.ts).
 *
 * @param own - the service's own networks: refused, even if they are also allowed.
 * @param allowed - networks treated as public, for tests and private installations.
 */
export function createAddressPolicy({
  own,
  allowed,
}: {
  own: readonly Network[]
  allowed: readonly Network[]
}): AddressPolicy {
  return {
    allowsPrivate: allowed.length > 0,
    permits(text, reach) {
      const address = judgedAddress(text)
      if (!address || own.some((network) => networkContains(network, address))) return false
      if (allowed.some((network) => networkContains(network, address))) return true
      return reach === 'public' && isPublicAddress(address)
    },
  }
}

/** The address itself, or the IPv4 address that a NAT64 translates it to. */
function judgedAddress(text: string): Address | undefined {
  const address = parseAddress(text)
  return address && networkContains(nat64Network, address)
    ? ipaddr.fromByteArray(address.toByteArray().slice(-4))
    : address
}

/** Whether a network has addresses that are judged by the IPv4 addresses in them, so that no policy ever meets them. */
export const isTranslated = (network: Network): boolean =>
  networkContainsNetwork(nat64Network, network)

/**
 * Whether an address is public unicast. ipaddr.js knows the special-purpose registries of IANA, but classifies
 * unallocated space, 6bone and the rest of 2001::/23 as unicast. Therefore IPv6 addresses must be in
 * {@link globalUnicast}, and the ranges in {@link refusedUnicast} are refused for IPv4 and IPv6. `parseAddress` has already
 * turned mapped addresses into IPv4.
 *
 * A new range is an entry here and a row of packages/core/test/network/special-purpose.ts.
 */
function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6 && !networkContains(globalUnicastNetwork, address))
    return false
  return !refusedNetworks.some((network) => networkContains(network, address))
}

/** The addresses by which hosts without IPv4 reach IPv4 hosts through a NAT64 (RFC 6052, section 2.1). */
export const nat64 = '64:ff9b::/96'

/** The range of IPv6 that IANA allocates from. */
export const globalUnicast = '2000::/3'

/** Ranges that ipaddr.js classifies as unicast, but that no connection may reach. */
export const refusedUnicast: readonly string[] = [
  '168.63.129.16/32', // Azure's wire server: a public address that only responds inside virtual machines
  '2001::/23', // IETF protocol assignments, RFC 2928
  '3ffe::/16', // 6bone, returned to IANA by RFC 3701
]

const nat64Network = parseNetwork(nat64)
const globalUnicastNetwork = parseNetwork(globalUnicast)
const refusedNetworks = refusedUnicast.map(parseNetwork)
