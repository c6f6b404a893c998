import type { LookupAddress } from 'node:dns'
import { setImmediate } from 'node:timers/promises'
import { createResolver, type ResolverOptions } from '@hosting/process'

export const addresses: LookupAddress[] = [
  { address: '203.0.113.7', family: 4 },
  { address: '2001:db8::7', family: 6 },
]

/** A resolver whose lookups end when the test decides. */
export function startResolver(options: ResolverOptions = {}) {
  const lookups: { host: string; succeed: () => void; fail: (error: Error) => void }[] = []
  const { resolve: resolveName, figures } = createResolver({
    ...options,
    // No lookup becomes slow because the machine is.
    limits: { promptMs: 60_000, ...options.limits },
    lookUp(host) {
      const ending = Promise.withResolvers<LookupAddress[]>()
      lookups.push({ host, succeed: () => ending.resolve(addresses), fail: ending.reject })
      return ending.promise
    },
  })
  /** A lookup that a test does not await may fail after the test. */
  const resolve: typeof resolveName = (host, tenantId) => {
    const found = resolveName(host, tenantId)
    found.catch(() => undefined)
    return found
  }
  const hosts = (): string[] => lookups.map(({ host }) => host)
  /** Waits until every lookup that may start has started. */
  const turn = async () => {
    for (let turns = 0; turns < 5; turns++) await setImmediate()
  }
  return { resolve, figures, lookups, hosts, turn }
}
