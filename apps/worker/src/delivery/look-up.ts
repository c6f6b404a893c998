import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { ConnectionError, LookUpTimeout } from './connection-error.ts'
import { createHostsFile } from './hosts-file.ts'
import { createSystemLookUp } from './system-look-up.ts'

/** Gives every address of a name. @throws ConnectionError `dns_error` */
export type LookUp = (host: string) => Promise<LookupAddress[]>

/** What a look-up works with; by default what the machine has. */
export interface LookUpOptions {
  readonly hostsFile?: string
  /** `<address>:<port>` of name servers; by default those of /etc/resolv.conf. */
  readonly nameServers?: readonly string[]
  /** Asked for names that DNS does not know, with the time that is left. */
  readonly systemLookUp?: (host: string, timeoutMs: number) => Promise<LookupAddress[]>
  readonly timeoutMs?: number
}

/** Well below the deadline of an attempt, so that the second in the queue can still connect. */
const lookUpTimeoutMs = 4_000

/**
 * Looks names up in the hosts file, then at the name servers, then with the system's resolver, which also
 * knows search domains and the other sources of nsswitch.conf. Only the last of them takes a thread, and
 * no look-up takes longer than `timeoutMs`: see docs/decisions/0035-name-look-ups.md.
 */
export function createLookUp({
  hostsFile,
  nameServers,
  systemLookUp = createSystemLookUp(),
  timeoutMs = lookUpTimeoutMs,
}: LookUpOptions = {}): LookUp {
  const findInHostsFile = createHostsFile(hostsFile)
  return async (host) => {
    const listed = findInHostsFile(host)
    if (listed.length > 0) return [...listed]
    const startedAt = performance.now()
    const found = await askNameServers(host, { nameServers, timeoutMs })
    if (found) return found
    return systemLookUp(host, timeoutMs - (performance.now() - startedAt))
  }
}

/** Gives `undefined` for a name that DNS does not know or has no address for, and if there is no DNS. */
async function askNameServers(
  host: string,
  { nameServers, timeoutMs }: { nameServers: readonly string[] | undefined; timeoutMs: number },
): Promise<LookupAddress[] | undefined> {
  // One for each look-up: it reads /etc/resolv.conf, and what it asks can be cancelled.
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: triesMax })
  if (nameServers) resolver.setServers(nameServers)
  const timer = setTimeout(() => resolver.cancel(), timeoutMs)
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  clearTimeout(timer)
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (addresses.length > 0) return addresses
  const codes = [v4, v6].map((result) => result.status === 'rejected' && codeOf(result.reason))
  if (codes.some((code) => timeouts.has(code))) throw new LookUpTimeout(host)
  const failure = codes.find((code) => !denials.has(code))
  if (failure) throw new ConnectionError('dns_error', `The look-up of ${host} failed: ${failure}`)
  return undefined
}

/** c-ares doubles it for each further try, which the timeout of the look-up cuts off. */
const queryTimeoutMs = 1_000
const triesMax = 4

const codeOf = (reason: unknown): string => (reason as NodeJS.ErrnoException).code ?? String(reason)

const timeouts: ReadonlySet<unknown> = new Set(['ECANCELLED', 'ETIMEOUT'])
const denials: ReadonlySet<unknown> = new Set([false, 'ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])
