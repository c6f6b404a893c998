import ipaddr from 'ipaddr.js'
import {
  networkContains,
  parseAddress,
  parseNetwork,
  type Address,
  type Network,
} from './networks.ts'

/** Where webhooks may be sent. */
export interface AddressPolicy {
  /**
   * Whether a connection to the address is permitted.
   *
   * @param address - of either family, without brackets.
   * @param reach - `public`: public addresses and the allowed networks; `allowed-only`: the allowed
   *   networks alone (URLs that only the allowance lets in: `http:`, or a host without a dot).
   */
  permits(address: string, reach: Reach): boolean
  /** Whether private networks are allowed at all, which also lets `http:` and dotless names in. */
  readonly allowsPrivate: boolean
}

/** How far a URL may reach; see {@link AddressPolicy.permits}. */
export type Reach = 'public' | 'allowed-only'

/**
 * The policy of this installation (docs/specification/webhooks.md#addresses).
 *
 * @param own - the service's own networks: refused before any allowance.
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
      const address = parseAddress(text)
      if (!address || own.some((network) => networkContains(network, address))) return false
      if (allowed.some((network) => networkContains(network, address))) return true
      return reach === 'public' && isPublicAddress(address)
    },
  }
}

/**
 * Whether an address is public unicast. ipaddr.js knows the special-purpose registries of IANA; what it
 * calls unicast but is not (unallocated space, 6bone, the rest of 2001::/23) is refused by allowing
 * only 2000::/3 of IPv6 and naming the holes in it.
 */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6 && !networkContains(globalUnicast, address)) return false
  return !publicHoles.some((network) => networkContains(network, address))
}

const globalUnicast = parseNetwork('2000::/3')

const publicHoles = [
  '168.63.129.16/32', // Azure's wire server: a public address that answers inside virtual machines only
  '2001::/23', // IETF protocol assignments, RFC 2928
  '3ffe::/16', // 6bone, returned to IANA by RFC 3701
].map(parseNetwork)
