import { networkContains, parseAddress, type Network } from './networks.ts'

/** What {@link clientAddress} knows of proxies. */
export interface ProxyOptions {
  readonly trustedProxies: readonly Network[]
  /** Told of an entry from a trusted proxy that is not an address. */
  readonly onUnreadable?: (entry: string) => void
}

/**
 * The client's address: the socket's own, or, if that is a trusted proxy's, the right-most entry of
 * `X-Forwarded-For` that is not. Entries further left may be forged and are not read. An entry may carry a
 * port: `192.0.2.1:443`, `[2001:db8::1]:443`. An IPv4-mapped address is returned as IPv4.
 *
 * @param forwardedFor - the header's value, or `undefined`.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  { trustedProxies, onUnreadable }: ProxyOptions,
): string {
  // A socket's address is canonical already, except for an IPv4 address mapped into IPv6.
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

/** The address of an entry that may carry a port, or brackets around an IPv6 address (RFC 7239, section 6). */
function withoutPort(entry: string): string {
  const [, bracketed, ipv4] = /^(?:\[([\da-f:.]+)\]|(\d[\d.]*))(?::\d{1,5})?$/i.exec(entry) ?? []
  // In brackets only IPv6 is written.
  if (bracketed !== undefined) return bracketed.includes(':') ? bracketed : entry
  return ipv4 ?? entry
}

/** Whether the address is that of a proxy whose word counts. */
export function isTrustedProxy(text: string, trustedProxies: readonly Network[]): boolean {
  const address = parseAddress(text)
  return (
    address !== undefined && trustedProxies.some((network) => networkContains(network, address))
  )
}
