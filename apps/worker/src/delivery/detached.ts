import type { TakenAttempt } from '@hosting/core/webhooks'
import type { Services } from '../services.ts'
import type { OnSlowLookup } from './exchange.ts'

/** An attempt that takes longer is detached: it continues, and frees its slot of the lane. */
const detachAfterMs = 1_000
/**
 * The limit of detached attempts, as a multiple of the slots of the normal lane. An attempt beyond it keeps the slot of its
 * lane.
 */
const detachedFactor = 10

/**
 * Returns a function that waits for an attempt until it completes or is detached from its lane: after a second, or
 * when `slow` resolves.
 */
export function createDetach({ config, metrics, tenantShares }: Services) {
  const detachedMax = detachedFactor * config.workerConcurrency
  let detached = 0
  const detach = (made: Promise<void>, tenantId: string): void => {
    metrics.attemptsInProgress.set({ lane: 'detached' }, ++detached)
    tenantShares.startDetached(tenantId)
    void made.finally(() => {
      metrics.attemptsInProgress.set({ lane: 'detached' }, --detached)
      tenantShares.endDetached(tenantId)
    })
  }
  return (
    made: Promise<void>,
    { taken: { tenantId }, slow }: { taken: TakenAttempt; slow: Promise<void> },
  ): Promise<void> =>
    new Promise((resolve) => {
      const leave = () => {
        clearTimeout(timer)
        if (detached >= detachedMax) return
        detach(made, tenantId)
        resolve()
      }
      const timer = setTimeout(leave, detachAfterMs)
      void slow.then(leave)
      void made.finally(() => {
        clearTimeout(timer)
        resolve()
      })
    })
}

/** The endpoints with a slow name lookup in progress. Further attempts to them would only wait for it. */
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
