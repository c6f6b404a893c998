import type { LookupAddress } from 'node:dns'
import { ConnectionError, LookupTimeout } from './connection-error.ts'
import { createLookup, type Lookup } from './lookup.ts'
import { createLookupTurns, type LookupLimits } from './lookup-turns.ts'
import { createQuarantine, type Quarantine } from './quarantine.ts'

/** Returns every address of a name for a tenant. @throws ConnectionError `dns_error` */
export type Resolve = (host: string, tenantId: string) => Promise<LookupAddress[]>

/** Resolves the names of endpoints, and reports figures about it. */
export interface Resolver {
  readonly resolve: Resolve
  /** Running lookups, lookups that wait for their turn, and names in quarantine. */
  figures(): { running: number; waiting: number; quarantined: number }
}

/** The dependencies and limits of a resolver. */
export interface ResolverOptions {
  readonly lookUp?: Lookup
  readonly limits?: Partial<LookupLimits>
  readonly quarantine?: Quarantine
  /** Called for each lookup that times out. */
  readonly onTimeout?: () => void
}

/** With these limits, a lookup waits for hanging names only if 64 tenants have 20 of them each. */
const defaultLimits: LookupLimits = {
  perTenantMax: 4,
  totalMax: 256,
  promptMs: 250,
  slowPerTenantMax: 16,
  slowTotalMax: 1_024,
}

/** A lookup that has waited longer is dropped, because the attempts that need it have ended. */
const waitMsMax = 10_000

/**
 * Creates a resolver with one lookup at a time per name and few per tenant. It caches nothing but
 * the names whose lookups timed out: those fail at once for a few seconds.
 */
export function createResolver({
  lookUp = createLookup(),
  limits = {},
  quarantine = createQuarantine(),
  onTimeout = () => undefined,
}: ResolverOptions = {}): Resolver {
  const running: Lookups = new Map()
  const queued: Lookups = new Map()
  const turns = createLookupTurns({ ...defaultLimits, ...limits })

  const requireNotQuarantined = (host: string): void => {
    if (!quarantine.has(host)) return
    throw new ConnectionError('dns_error', `The lookup of ${host} timed out a moment ago.`)
  }
  const lookUpOnce = async (host: string): Promise<LookupAddress[]> => {
    try {
      const addresses = await lookUp(host)
      quarantine.remove(host)
      return addresses
    } catch (error) {
      if (error instanceof LookupTimeout) {
        quarantine.add(host)
        onTimeout()
      } else quarantine.remove(host)
      throw error
    }
  }
  const lookUpInTurn = async (host: string, tenantId: string): Promise<LookupAddress[]> => {
    const queuedAt = performance.now()
    const end = await turns.take(tenantId)
    try {
      requireNotQuarantined(host)
      if (performance.now() - queuedAt > waitMsMax) {
        throw new ConnectionError('dns_error', `The lookup of ${host} waited too long.`)
      }
      return await join(running, host, () => lookUpOnce(host))
    } finally {
      end()
    }
  }
  return {
    async resolve(host, tenantId) {
      requireNotQuarantined(host)
      // All deliveries of a tenant to the same name share one turn.
      return join(queued, `${tenantId} ${host}`, () => lookUpInTurn(host, tenantId))
    },
    figures: () => ({
      running: turns.running,
      waiting: turns.waiting,
      quarantined: quarantine.count(),
    }),
  }
}

type Lookups = Map<string, Promise<LookupAddress[]>>

/** Returns the running lookup for the key, or starts one. */
function join(
  running: Lookups,
  key: string,
  start: () => Promise<LookupAddress[]>,
): Promise<LookupAddress[]> {
  const present = running.get(key)
  if (present) return present
  const started = start().finally(() => running.delete(key))
  running.set(key, started)
  return started
}
