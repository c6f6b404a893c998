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

/** If no single network contains the entry, several together may: then they cover each of its halves. */
function networksCover(networks: readonly Network[], entry: Network): boolean {
  if (networks.some((network) => networkContainsNetwork(network, entry))) return true
  const within = networks.filter((network) => networkContainsNetwork(entry, network))
  return within.length > 1 && halvesOf(entry).every((half) => networksCover(within, half))
}
