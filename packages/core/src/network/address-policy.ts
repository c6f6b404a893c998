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
 * networks.
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
 * Whether an address is public unicast: an IPv6 address is in {@link globalUnicast}, and no address is in
 * {@link specialPurpose} or {@link refusedUnicast}. `parseAddress` has already turned mapped addresses into IPv4.
 *
 * A new range is an entry here and a row of packages/core/test/network/special-purpose.ts.
 */
function isPublicAddress(address: Address): boolean {
  if (address instanceof ipaddr.IPv6 && !networkContains(globalUnicastNetwork, address))
    return false
  return !refusedNetworks.some((network) => networkContains(network, address))
}

/** The addresses by which hosts without IPv4 reach IPv4 hosts through a NAT64 (RFC 6052, section 2.1). */
export const nat64 = '64:ff9b::/96'

/**
 * The range of IPv6 that IANA allocates from. Loopback, link-local and multicast (RFC 4291), unique local (RFC 4193) and
 * all that is unallocated are outside.
 */
export const globalUnicast = '2000::/3'

/** The special-purpose registries of IANA, and multicast. */
export const specialPurpose: readonly string[] = [
  '0.0.0.0/8', // this network, RFC 791
  '10.0.0.0/8', // private, RFC 1918
  '100.64.0.0/10', // shared (CGNAT), RFC 6598
  '127.0.0.0/8', // loopback, RFC 1122
  '169.254.0.0/16', // link-local, RFC 3927
  '172.16.0.0/12', // private, RFC 1918
  '192.0.0.0/24', // IETF protocol assignments, RFC 6890
  '192.0.2.0/24', // documentation, RFC 5737
  '192.31.196.0/24', // AS112, RFC 7535
  '192.52.193.0/24', // AMT, RFC 7450
  '192.88.99.0/24', // relays of 6to4, RFC 7526
  '192.168.0.0/16', // private, RFC 1918
  '192.175.48.0/24', // AS112, RFC 7534
  '198.18.0.0/15', // benchmarking, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/4', // multicast, RFC 5771
  '240.0.0.0/4', // reserved, RFC 1112, and broadcast, RFC 919
  '2001:db8::/32', // documentation, RFC 3849
  '2002::/16', // 6to4, RFC 3056
  '2620:4f:8000::/48', // AS112, RFC 7534
  '3fff::/20', // documentation, RFC 9637
]

/** Further ranges that no connection may reach. */
export const refusedUnicast: readonly string[] = [
  '168.63.129.16/32', // Azure's wire server: a public address that only responds inside virtual machines
  '2001::/23', // IETF protocol assignments, RFC 2928
  '3ffe::/16', // 6bone, returned to IANA by RFC 3701
]

const nat64Network = parseNetwork(nat64)
const globalUnicastNetwork = parseNetwork(globalUnicast)
const refusedNetworks = [...specialPurpose, ...refusedUnicast].map(parseNetwork)
