import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { ConnectionError, LookupTimeout } from './connection-error.ts'
import { createSystemLookup } from './system-lookup.ts'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Returns every address of a name. @throws ConnectionError `dns_error` */
export type Lookup = (host: string) => Promise<LookupAddress[]>

/** The sources of a lookup. By default those of the machine. */
export interface LookupOptions {
  readonly hostsFile?: string
  /** Name servers as `<address>:<port>`. By default those of /etc/resolv.conf. */
  readonly nameServers?: readonly string[]
  /** Looks up names that DNS does not know, in the remaining time. */
  readonly systemLookup?: (host: string, timeoutMs: number) => Promise<LookupAddress[]>
  readonly timeoutMs?: number
}

/** Well below the deadline of an attempt, so that the second lookup in the queue leaves time to connect. */
const lookupTimeoutMs = 4_000

/**
 * Looks names up in the hosts file, then at the name servers, then with the system's resolver,
 * which also knows search domains and the other sources of nsswitch.conf. Only the system's
 * resolver occupies a thread. No lookup takes longer than `timeoutMs`. See
 * packages/process/outbound.md#name-lookups.
 */
export function createLookup({
  hostsFile,
  nameServers,
  systemLookup = createSystemLookup(),
  timeoutMs = lookupTimeoutMs,
}: LookupOptions = {}): Lookup {
  const findInHostsFile = createHostsFile(hostsFile)
  return async (host) => {
    const listed = findInHostsFile(host)
    if (listed.length > 0) return [...listed]
    const startedAt = performance.now()
    const found = await queryNameServers(host, { nameServers, timeoutMs })
    if (found) return found
    return systemLookup(host, timeoutMs - (performance.now() - startedAt))
  }
}

/** Returns `undefined` if DNS does not know the name, has no address for it, or is not available. */
async function queryNameServers(
  host: string,
  { nameServers, timeoutMs }: { nameServers: readonly string[] | undefined; timeoutMs: number },
): Promise<LookupAddress[] | undefined> {
  // One resolver per lookup: it reads /etc/resolv.conf, and its queries can be cancelled.
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: triesMax })
  if (nameServers) resolver.setServers(nameServers)
  const cancelIn = (ms: number) => setTimeout(() => resolver.cancel(), ms)
  const timers = [cancelIn(timeoutMs)]
  const findV4 = async () => {
    const found = await resolver.resolve4(host)
    timers.push(cancelIn(v6PatienceMs))
    return found
  }
  const [v4, v6] = await Promise.allSettled([findV4(), resolver.resolve6(host)])
  timers.forEach(clearTimeout)
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (addresses.length > 0) return addresses
  const codes = [v4, v6].map((result) => result.status === 'rejected' && codeOf(result.reason))
  if (codes.some((code) => timeouts.has(code))) throw new LookupTimeout(host)
  const failure = codes.find((code) => !denials.has(code))
  if (failure) throw new ConnectionError('dns_error', `The lookup of ${host} failed: ${failure}`)
  return undefined
}

/** c-ares doubles this for each further try. The timeout of the lookup cuts the tries off. */
const queryTimeoutMs = 1_000
const triesMax = 4
/**
 * How long IPv6 addresses may take once there are IPv4 addresses: some name servers never respond to AAAA queries.
 * IPv6 addresses do not limit the time for IPv4 addresses, because many machines can only use the latter.
 */
const v6PatienceMs = 250

const codeOf = (reason: unknown): string => (reason as NodeJS.ErrnoException).code ?? String(reason)

const timeouts: ReadonlySet<unknown> = new Set(['ECANCELLED', 'ETIMEOUT'])
const denials: ReadonlySet<unknown> = new Set([false, 'ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])

/** Returns the addresses of a name in the hosts file, or none if the name is not in it. */
type HostsFile = (host: string) => readonly LookupAddress[]

/** Reads the hosts file (hosts(5)), and reads it again after it changes. */
function createHostsFile(path = '/etc/hosts'): HostsFile {
  let version = ''
  let byName = new Map<string, LookupAddress[]>()
  return (host) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    const present = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''
    if (present !== version) {
      byName = stats ? parseHosts(readFileSync(path, 'utf8')) : new Map()
      version = present
    }
    return byName.get(host.toLowerCase().replace(/\.$/, '')) ?? []
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const byName = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      byName.set(key, [...(byName.get(key) ?? []), { address, family }])
    }
  }
  return byName
}
