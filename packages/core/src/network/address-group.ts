import { parseAddress } from './networks.ts'

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
