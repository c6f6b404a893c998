import {
  halvesOf,
  networkContains,
  networkContainsNetwork,
  parseAddress,
  parseNetwork,
  type Network,
} from '../network/networks.ts'

/** The parsed networks of a key's IP allowlist. `null`: no list; the key may be used from any address. */
export type Allowlist = readonly Network[] | null

/**
 * Parses an IP allowlist.
 *
 * @param entries - CIDRs or addresses; empty or `null` for no list.
 * @throws Error if an entry is neither.
 */
export const toAllowlist = (entries: readonly string[] | null): Allowlist =>
  entries === null || entries.length === 0 ? null : entries.map(parseNetwork)

/** Whether the list allows the address. */
export function allowlistPermits(list: Allowlist, ip: string): boolean {
  if (list === null) return true
  const address = parseAddress(ip)
  return address !== undefined && list.some((network) => networkContains(network, address))
}

/** Whether the outer list allows every address of the inner list. Several entries together may cover one. */
export function allowlistCovers(outer: Allowlist, inner: Allowlist): boolean {
  if (outer === null) return true
  if (inner === null) return false
  return inner.every((entry) => networksCover(outer, entry))
}

/** A list that admits more than these is wide: the bits of an IPv4 and of an IPv6 network. */
export const wideAllowlistPrefixes = { ipv4: 8, ipv6: 32 } as const

/** Text of the limits of {@link wideAllowlistPrefixes}. */
export const wideAllowlistText = `more than a /${wideAllowlistPrefixes.ipv4} (IPv4) or a /${wideAllowlistPrefixes.ipv6} (IPv6)`

/**
 * Whether the list admits more addresses than a network of {@link wideAllowlistPrefixes}, all entries together.
 *
 * @param entries - CIDRs or addresses; empty or `null` for no list, which is not wide.
 * @throws Error if an entry is neither.
 */
export function isWideAllowlist(entries: readonly string[] | null): boolean {
  if (!entries?.some(mayMakeWide)) return false
  const networks = entries.map(parseNetwork)
  const counted = networks.filter(
    (network, index) =>
      !networks.some(
        (other, at) =>
          at !== index &&
          networkContainsNetwork(other, network) &&
          (other.prefix < network.prefix || at < index),
      ),
  )
  return (['ipv4', 'ipv6'] as const).some((kind) => {
    const shares = counted.filter(({ first }) => first.kind() === kind)
    const bits = kind === 'ipv4' ? 32 : 128
    const admitted = shares.reduce((sum, { prefix }) => sum + (1n << BigInt(bits - prefix)), 0n)
    return admitted > 1n << BigInt(bits - wideAllowlistPrefixes[kind])
  })
}

/**
 * Whether the entry, or the entries of a full list that are like it, can exceed a limit: 100 entries of less than a 128th
 * of it cannot. An IPv4-mapped entry has 96 more bits.
 */
function mayMakeWide(entry: string): boolean {
  const [address = '', prefix] = entry.split('/')
  const { ipv4, ipv6 } = wideAllowlistPrefixes
  const isMapped = /:.*ffff/i.test(address)
  const widest = address.includes(':') ? (isMapped ? ipv4 + 96 : ipv6) : ipv4
  return prefix !== undefined && Number(prefix) <= widest + 7
}

/** If no single network contains the entry, several together may: then they cover each of its halves. */
function networksCover(networks: readonly Network[], entry: Network): boolean {
  if (networks.some((network) => networkContainsNetwork(network, entry))) return true
  const within = networks.filter((network) => networkContainsNetwork(entry, network))
  return within.length > 1 && halvesOf(entry).every((half) => networksCover(within, half))
}
