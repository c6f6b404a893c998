import { networkContains, parseAddress, type Network } from './networks.ts'

/**
 * The client's address: the socket's own, or, if that is a trusted proxy's, the right-most entry of
 * `X-Forwarded-For` that is not (contract §1). What stands left of it may be forged and is not read.
 * An IPv4-mapped address comes back as IPv4.
 *
 * @param forwardedFor - the header's value, or `undefined`.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly Network[],
): string {
  // What a socket says is canonical already, but for an IPv4 address mapped into IPv6.
  let client = socketAddress.startsWith('::ffff:')
    ? (parseAddress(socketAddress)?.toString() ?? socketAddress)
    : socketAddress
  if (trustedProxies.length === 0) return client
  const entries = forwardedFor?.split(',').map((entry) => entry.trim()) ?? []
  while (entries.length > 0 && isTrustedProxy(client, trustedProxies)) {
    const entry = parseAddress(entries.pop()!)
    if (!entry) break
    client = entry.toString()
  }
  return client
}

/** Whether the address is that of a proxy whose word counts. */
export function isTrustedProxy(text: string, trustedProxies: readonly Network[]): boolean {
  const address = parseAddress(text)
  return (
    address !== undefined && trustedProxies.some((network) => networkContains(network, address))
  )
}
