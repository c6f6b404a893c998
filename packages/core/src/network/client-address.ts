import { networkContains, parseAddress, type Network } from './networks.ts'

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
