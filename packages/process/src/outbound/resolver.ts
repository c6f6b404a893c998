import type { LookupAddress } from 'node:dns'
import { ConnectionError, LookupTimeout } from './connection-error.ts'
import { createLookup, type Lookup } from './lookup.ts'
import { createQuarantine, type Quarantine } from './quarantine.ts'
import { createTurns, type EndTurn } from '@hosting/core/concurrency'

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

/** How many lookups may run at a time. */
interface LookupLimits {
  readonly perTenantMax: number
  readonly totalMax: number
  /** A lookup that has taken this long no longer occupies its turn, within the next two limits. */
  readonly promptMs: number
  readonly slowPerTenantMax: number
  readonly slowTotalMax: number
}

/** Limits lookups per tenant and in total. */
interface LookupTurns {
  /** Waits for a turn. The returned function ends the lookup. */
  take(tenantId: string): Promise<EndTurn>
  readonly running: number
  readonly waiting: number
}

/**
 * Creates the turns for the lookups of a process. A turn is for the time in which almost every name server responds.
 * A lookup that takes longer leaves its turn to the next one, so a name that resolves does not wait for names that
 * do not.
 */
function createLookupTurns(limits: LookupLimits): LookupTurns {
  const prompt = createTurns({ perKey: limits.perTenantMax, total: limits.totalMax })
  const slow = createTurns({
    perKey: limits.slowPerTenantMax,
    total: limits.slowTotalMax,
    waitingPerKey: 0,
  })
  return {
    async take(tenantId) {
      // Without a limit of those that wait, every caller gets a turn.
      let end = (await prompt.take(tenantId))!
      let hasEnded = false
      const leaveTurn = async (): Promise<void> => {
        const endSlow = await slow.take(tenantId)
        if (!endSlow) return
        if (hasEnded) return endSlow()
        end()
        end = endSlow
      }
      const timer = setTimeout(() => void leaveTurn(), limits.promptMs).unref()
      return () => {
        hasEnded = true
        clearTimeout(timer)
        end()
      }
    },
    get running() {
      return prompt.taken + slow.taken
    },
    get waiting() {
      return prompt.waiting
    },
  }
}
