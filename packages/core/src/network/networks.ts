import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IPv4 or IPv6 address. An IPv4-mapped IPv6 address is represented as IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A network: its first address and its prefix length in bits. */
export interface Network {
  readonly first: Address
  readonly prefix: number
}

/** Parses an address strictly: no octal, hex or short IPv4 form, no zone id, no brackets. */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) && !text.includes('%') ? unmap(read(text), 128).first : undefined
}

/**
 * Parses a CIDR or a single address. An IPv4-mapped network becomes an IPv4 network.
 *
 * @throws Error whose message says what is wrong: not an address, an invalid prefix length, or host bits set.
 */
export function parseNetwork(text: string): Network {
  const [address = '', prefixText, ...rest] = text.split('/')
  if (rest.length > 0 || !isIP(address) || address.includes('%')) {
    throw new Error('is not an IPv4 or IPv6 address or CIDR')
  }
  const written = read(address)
  const bits = written.kind() === 'ipv4' ? 32 : 128
  const prefix = prefixText === undefined ? bits : parsePrefix(prefixText, bits)
  const network = unmap(written, prefix)
  if (hasHostBits(network)) throw new Error('has host bits set')
  return network
}

/** Whether the network contains the address; `false` across families. */
export const networkContains = ({ first, prefix }: Network, address: Address): boolean =>
  first.kind() === address.kind() && address.match([first, prefix] as [ipaddr.IPv4, number])

/** Whether the outer network contains the inner network; `false` across families. */
export const networkContainsNetwork = (outer: Network, inner: Network): boolean =>
  outer.prefix <= inner.prefix && networkContains(outer, inner.first)

/** Splits a network into its two halves. It must be larger than one address. */
export function halvesOf({ first, prefix }: Network): [Network, Network] {
  const bytes = first.toByteArray()
  bytes[prefix >> 3]! |= 0x80 >> (prefix & 7)
  return [
    { first, prefix: prefix + 1 },
    { first: ipaddr.fromByteArray(bytes), prefix: prefix + 1 },
  ]
}

/** The canonical text of a network, for example `10.0.0.0/8`. */
export const formatNetwork = ({ first, prefix }: Network): string => `${first.toString()}/${prefix}`

/** ipaddr.js parses `::1.2.3.4` as the mapped `::ffff:1.2.3.4`, but parses `0::1.2.3.4` correctly. */
const read = (text: string): Address => ipaddr.parse(text.replace(/^::(?=\d+\.)/, '0::'))

function parsePrefix(text: string, bits: number): number {
  if (!/^(0|[1-9]\d{0,2})$/.test(text) || Number(text) > bits) {
    throw new Error(`has a prefix length that is not 0 to ${bits}`)
  }
  return Number(text)
}

function unmap(written: Address, prefix: number): Network {
  if (written instanceof ipaddr.IPv6 && written.isIPv4MappedAddress() && prefix >= 96) {
    return { first: written.toIPv4Address(), prefix: prefix - 96 }
  }
  return { first: written, prefix }
}

function hasHostBits({ first, prefix }: Network): boolean {
  return first.toByteArray().some((byte, index) => {
    const networkBits = Math.min(Math.max(prefix - index * 8, 0), 8)
    return (byte & (0xff >> networkBits)) !== 0
  })
}

/** The host of a URL, an IPv6 literal without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')
