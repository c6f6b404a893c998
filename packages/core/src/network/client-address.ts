import { networkContains, parseAddress, type Network, formatNetwork } from './networks.ts'
import ipaddr from 'ipaddr.js'

/** The proxies that {@link clientAddress} trusts. */
export interface ProxyOptions {
  readonly trustedProxies: readonly Network[]
  /** Called with an entry from a trusted proxy that is not an address. */
  readonly onUnreadable?: (entry: string) => void
}

/**
 * The client's address. It is the address of the socket. If that is a trusted proxy, it is the right-most entry of
 * `X-Forwarded-For` that is not a trusted proxy. Entries further left may be forged and are not read. An entry may
 * have a port: `192.0.2.1:443`, `[2001:db8::1]:443`. An IPv4-mapped address is returned as IPv4.
 *
 * @param forwardedFor - the header's value, or `undefined`.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  { trustedProxies, onUnreadable }: ProxyOptions,
): string {
  // The address of a socket is already canonical, unless it is IPv4-mapped.
  let client = socketAddress.startsWith('::ffff:')
    ? (parseAddress(socketAddress)?.toString() ?? socketAddress)
    : socketAddress
  if (trustedProxies.length === 0) return client
  const entries = forwardedFor?.split(',').map((entry) => entry.trim()) ?? []
  while (entries.length > 0 && isTrustedProxy(client, trustedProxies)) {
    const entry = entries.pop()!
    const address = parseAddress(withoutPort(entry))
    if (!address) {
      onUnreadable?.(entry)
      break
    }
    client = address.toString()
  }
  return client
}

/** Removes the port and the brackets around an IPv6 address, if any (RFC 7239, section 6). */
function withoutPort(entry: string): string {
  const [, bracketed, ipv4] = /^(?:\[([\da-f:.]+)\]|(\d[\d.]*))(?::\d{1,5})?$/i.exec(entry) ?? []
  // Only IPv6 addresses may have brackets.
  if (bracketed !== undefined) return bracketed.includes(':') ? bracketed : entry
  return ipv4 ?? entry
}

/** Whether the address is that of a trusted proxy. */
export function isTrustedProxy(text: string, trustedProxies: readonly Network[]): boolean {
  const address = parseAddress(text)
  return (
    address !== undefined && trustedProxies.some((network) => networkContains(network, address))
  )
}

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

const groupBits = 64

/**
 * The address that limits count by: an IPv4 address itself, or the /64 of an IPv6 address, because one subscriber
 * has a whole /64 (docs/specification/requests.md#client-address).
 *
 * @param ip - a client's address, from `clientAddress`.
 */
export function addressGroup(ip: string): string {
  const address = parseAddress(ip)
  if (!address || address.kind() === 'ipv4') return address?.toString() ?? ip
  const parts = address.toByteArray().slice(0, groupBits / 8)
  const words = Array.from({ length: parts.length / 2 }, (_, index) =>
    ((parts[2 * index]! << 8) | parts[2 * index + 1]!).toString(16),
  )
  return `${words.join(':')}::/${groupBits}`
}

/**
 * Whether a request arrived over TLS. A proxy in front of the service terminates TLS. A trusted proxy reports it in
 * `X-Forwarded-Proto`; if the header lists several hops, every one must be `https`. Without the header, or from an
 * untrusted address, `PUBLIC_URL` decides.
 *
 * @param forwardedProto - the header's value, or `undefined`.
 */
export function isSecureRequest(
  { socketAddress, forwardedProto }: { socketAddress: string; forwardedProto: string | undefined },
  {
    publicUrl,
    trustedProxies,
  }: { publicUrl?: string | undefined; trustedProxies: readonly Network[] },
): boolean {
  if (
    forwardedProto !== undefined &&
    trustedProxies.length > 0 &&
    isTrustedProxy(socketAddress, trustedProxies)
  ) {
    return forwardedProto.split(',').every((entry) => entry.trim().toLowerCase() === 'https')
  }
  return publicUrl?.startsWith('https:') ?? false
}
