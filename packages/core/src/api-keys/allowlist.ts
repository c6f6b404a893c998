import {
  halvesOf,
  networkContains,
  networkContainsNetwork,
  parseAddress,
  parseNetwork,
  type Network,
} from '../network/networks.ts'

/** The networks of a key's allow-list, parsed. `null`: no list, every address may use the key. */
export type Allowlist = readonly Network[] | null

/**
 * Parses an allow-list.
 *
 * @param entries - CIDRs or addresses; empty or null for none.
 * @throws Error if an entry is not one.
 */
export const toAllowlist = (entries: readonly string[] | null): Allowlist =>
  entries === null || entries.length === 0 ? null : entries.map(parseNetwork)

/** Whether the list lets the address in. */
export function allowlistPermits(list: Allowlist, ip: string): boolean {
  if (list === null) return true
  const address = parseAddress(ip)
  return address !== undefined && list.some((network) => networkContains(network, address))
}

/** Whether every address of one list is let in by another, by whichever of its entries. */
export function allowlistCovers(outer: Allowlist, inner: Allowlist): boolean {
  if (outer === null) return true
  if (inner === null) return false
  return inner.every((entry) => networksCover(outer, entry))
}

/** An entry that no single network holds may still be held by several: then each of its halves is. */
function networksCover(networks: readonly Network[], entry: Network): boolean {
  if (networks.some((network) => networkContainsNetwork(network, entry))) return true
  const within = networks.filter((network) => networkContainsNetwork(entry, network))
  return within.length > 1 && halvesOf(entry).every((half) => networksCover(within, half))
}
