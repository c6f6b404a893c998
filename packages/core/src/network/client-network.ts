import ipaddr from 'ipaddr.js'
import { formatNetwork, parseAddress } from './networks.ts'

/** Prefix lengths of the networks that sites usually have. */
const prefixes = { ipv4: 24, ipv6: 48 } as const

/**
 * The network of a client: the /24 of an IPv4 address, or the /48 of an IPv6 address
 * (docs/specification/device-login.md#approval).
 *
 * @param ip - a client's address, from `clientAddress`.
 * @returns the network in canonical form, such as `203.0.113.0/24`; the text itself if it is no address.
 */
export function clientNetwork(ip: string): string {
  const address = parseAddress(ip)
  if (!address) return ip
  const prefix = prefixes[address.kind()]
  const bytes = address.toByteArray().map((byte, index) => (index < prefix / 8 ? byte : 0))
  return formatNetwork({ first: ipaddr.fromByteArray(bytes), prefix })
}
