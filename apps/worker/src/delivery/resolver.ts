import type { LookupAddress } from 'node:dns'
import { ConnectionError, LookUpTimeout } from './connection-error.ts'
import { createLookUp, type LookUp } from './look-up.ts'
import { createLookUpTurns, type LookUpLimits } from './look-up-turns.ts'
import { createQuarantine, type Quarantine } from './quarantine.ts'

/** Gives every address of a name for a tenant. @throws ConnectionError `dns_error` */
export type Resolve = (host: string, tenantId: string) => Promise<LookupAddress[]>

/** Resolves the names of endpoints, and tells how it is doing. */
export interface Resolver {
  readonly resolve: Resolve
  /** Look-ups under way, look-ups that wait for their turn, and names in quarantine. */
  figures(): { running: number; waiting: number; quarantined: number }
}

/** What a resolver works with. */
export interface ResolverOptions {
  readonly lookUp?: LookUp
  readonly limits?: LookUpLimits
  readonly quarantine?: Quarantine
  /** Called for each look-up that timed out. */
  readonly onTimeout?: () => void
}

/** With these, 64 tenants must have four names each that hang before any look-up has to wait. */
const defaultLimits: LookUpLimits = { perTenantMax: 4, totalMax: 256 }

/** A look-up that waited for so long is dropped, because the attempts that asked for it have ended. */
const waitMsMax = 10_000

/**
 * Resolves names, with one look-up at a time per name and few per tenant. Nothing is kept but the names
 * whose look-ups timed out: those fail at once for a few seconds.
 */
export function createResolver({
  lookUp = createLookUp(),
  limits = defaultLimits,
  quarantine = createQuarantine(),
  onTimeout = () => undefined,
}: ResolverOptions = {}): Resolver {
  const underWay: LookUps = new Map()
  const asked: LookUps = new Map()
  const turns = createLookUpTurns(limits)

  const checkQuarantine = (host: string): void => {
    if (!quarantine.has(host)) return
    throw new ConnectionError('dns_error', `The look-up of ${host} timed out a moment ago.`)
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
    const askedAt = performance.now()
    if (turn) await turn
    try {
      checkQuarantine(host)
      if (performance.now() - askedAt > waitMsMax) {
        throw new ConnectionError('dns_error', `The look-up of ${host} waited too long.`)
      }
      return await join(underWay, host, () => lookUpOnce(host))
    } finally {
      turns.release(tenantId)
    }
  }
  return {
    async resolve(host, tenantId) {
      checkQuarantine(host)
      // However many of a tenant's deliveries ask for a name, it takes one turn.
      return join(asked, `${tenantId} ${host}`, () => lookUpInTurn(host, tenantId))
    },
    figures: () => ({
      running: turns.running,
      waiting: turns.waiting,
      quarantined: quarantine.count(),
    }),
  }
}

type LookUps = Map<string, Promise<LookupAddress[]>>

/** Gives what is under way for the key, or starts it. */
function join(
  underWay: LookUps,
  key: string,
  start: () => Promise<LookupAddress[]>,
): Promise<LookupAddress[]> {
  const present = underWay.get(key)
  if (present) return present
  const started = start().finally(() => underWay.delete(key))
  underWay.set(key, started)
  return started
}
