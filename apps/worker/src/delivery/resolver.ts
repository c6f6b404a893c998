import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { ConnectionError } from './connection-error.ts'

/** Gives every address of a name. @throws ConnectionError `dns_error` */
export type Resolve = (host: string, tenantId: string) => Promise<LookupAddress[]>

/** A tenant has at most so many look-ups under way, so that its dead names stall nobody else's. */
const perTenantMax = 4

/**
 * Resolves names with the system's resolver (so `/etc/hosts` counts), one look-up at a time per name
 * and few per tenant. Each look-up holds a thread of libuv's pool until it ends: UV_THREADPOOL_SIZE must be
 * well above what one tenant may hold.
 */
export function createResolver(
  lookUp: (host: string) => Promise<LookupAddress[]> = lookUpAll,
): Resolve {
  const underWay: LookUps = new Map()
  const asked: LookUps = new Map()
  const turns = new Map<string, Turns>()

  const lookUpInTurn = async (host: string, tenantId: string): Promise<LookupAddress[]> => {
    const turn = turns.get(tenantId) ?? { busy: 0, waiting: [] }
    turns.set(tenantId, turn)
    if (turn.busy >= perTenantMax) await new Promise<void>((resolve) => turn.waiting.push(resolve))
    else turn.busy += 1
    try {
      return await join(underWay, host, () => lookUp(host))
    } finally {
      const next = turn.waiting.shift()
      if (next) next()
      else if (--turn.busy === 0) turns.delete(tenantId)
    }
  }

  // However many of a tenant's deliveries ask for a name, it takes one turn.
  return (host, tenantId) => join(asked, `${tenantId} ${host}`, () => lookUpInTurn(host, tenantId))
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

interface Turns {
  busy: number
  readonly waiting: (() => void)[]
}

async function lookUpAll(host: string): Promise<LookupAddress[]> {
  try {
    return await lookup(host, { all: true })
  } catch (error) {
    throw new ConnectionError('dns_error', `The name could not be resolved: ${String(error)}`)
  }
}
