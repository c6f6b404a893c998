import type { OnSlowLookup } from './exchange.ts'

/** The endpoints whose names are being looked up for long. More attempts of them would only wait. */
export interface SlowNames {
  has(endpointId: string): boolean
  /** Watches an attempt of an endpoint. `slow` resolves when the attempt waits for a slow lookup. */
  watch(endpointId: string): { onSlowLookup: OnSlowLookup; slow: Promise<void> }
}

/** Creates the names of a worker, of which none is slow. */
export function createSlowNames(): SlowNames {
  const endpointIds = new Set<string>()
  return {
    has: (endpointId) => endpointIds.has(endpointId),
    watch(endpointId) {
      const { promise, resolve } = Promise.withResolvers<void>()
      return {
        slow: promise,
        onSlowLookup(lookup) {
          endpointIds.add(endpointId)
          const forget = () => endpointIds.delete(endpointId)
          lookup.then(forget, forget)
          resolve()
        },
      }
    },
  }
}
