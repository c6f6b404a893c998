import type { LookupAddress } from 'node:dns'
import { ConnectionError, LookUpTimeout } from './connection-error.ts'
import { createLookUp, type LookUp } from './look-up.ts'
import { createLookUpTurns, type LookUpLimits } from './look-up-turns.ts'
import { createQuarantine, type Quarantine } from './quarantine.ts'

/** Returns every address of a name for a tenant. @throws ConnectionError `dns_error` */
export type Resolve = (host: string, tenantId: string) => Promise<LookupAddress[]>

/** Resolves the names of endpoints, and reports figures about it. */
export interface Resolver {
  readonly resolve: Resolve
  /** Running look-ups, look-ups that wait for their turn, and names in quarantine. */
  figures(): { running: number; waiting: number; quarantined: number }
}

/** The dependencies and limits of a resolver. */
export interface ResolverOptions {
  readonly lookUp?: LookUp
  readonly limits?: LookUpLimits
  readonly quarantine?: Quarantine
  /** Called for each look-up that times out. */
  readonly onTimeout?: () => void
}

/** With these limits, a look-up waits only if 64 tenants have four hanging names each. */
const defaultLimits: LookUpLimits = { perTenantMax: 4, totalMax: 256 }

/** A look-up that has waited longer is dropped, because the attempts that need it have ended. */
const waitMsMax = 10_000

/**
 * Creates a resolver with one look-up at a time per name and few per tenant. It caches nothing but
 * the names whose look-ups timed out: those fail at once for a few seconds.
 */
export function createResolver({
  lookUp = createLookUp(),
  limits = defaultLimits,
  quarantine = createQuarantine(),
  onTimeout = () => undefined,
}: ResolverOptions = {}): Resolver {
  const running: LookUps = new Map()
  const queued: LookUps = new Map()
  const turns = createLookUpTurns(limits)

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
      if (error instanceof LookUpTimeout) {
        quarantine.add(host)
        onTimeout()
      } else quarantine.remove(host)
      throw error
    }
  }
  const lookUpInTurn = async (host: string, tenantId: string): Promise<LookupAddress[]> => {
    const turn = turns.take(tenantId)
    const queuedAt = performance.now()
    if (turn) await turn
    try {
      requireNotQuarantined(host)
      if (performance.now() - queuedAt > waitMsMax) {
        throw new ConnectionError('dns_error', `The lookup of ${host} waited too long.`)
      }
      return await join(running, host, () => lookUpOnce(host))
    } finally {
      turns.release(tenantId)
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

type LookUps = Map<string, Promise<LookupAddress[]>>

/** Returns the running look-up for the key, or starts one. */
function join(
  running: LookUps,
  key: string,
  start: () => Promise<LookupAddress[]>,
): Promise<LookupAddress[]> {
  const present = running.get(key)
  if (present) return present
  const started = start().finally(() => running.delete(key))
  running.set(key, started)
  return started
}
